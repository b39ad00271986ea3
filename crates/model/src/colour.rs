//! Colours, and how well one can be read on another (WCAG 2.2, 1.4.3).

use std::fmt;

/// A colour of sRGB, written `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// The least that ordinary text may have with what it stands on (level AA).
    pub const TEXT_CONTRAST: f64 = 4.5;
    pub const WHITE: Self = Self([0xff; 3]);
    pub const BLACK: Self = Self([0; 3]);

    pub const fn new(channels: [u8; 3]) -> Self {
        Self(channels)
    }

    /// `None` for anything but `#rrggbb`: what is read here ends up in a stylesheet.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// Red, green and blue.
    pub const fn channels(self) -> [u8; 3] {
        self.0
    }

    /// The ratio of the two luminances, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(linear);
        0.2126f64.mul_add(red, 0.7152f64.mul_add(green, 0.0722 * blue))
    }
}

/// A channel without the gamma of sRGB.
fn linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::Colour;

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        for (text, written) in [
            ("#0b57d0", Some("#0b57d0")),
            ("#0B57d0", Some("#0b57d0")),
            ("#000000", Some("#000000")),
            ("", None),
            ("#", None),
            ("0b57d0", None),
            ("#0b57d", None),
            ("#0b57d00", None),
            ("#+b57d0", None),
            ("#abc", None),
            ("#\u{e9}\u{e9}\u{e9}", None),
            ("red", None),
            ("#0b57d0;}", None),
        ] {
            let parsed = Colour::parse(text).map(|colour| colour.to_string());
            assert_eq!(parsed.as_deref(), written, "{text:?}");
        }
    }

    #[test]
    fn contrast_is_the_ratio_that_the_guidelines_give() {
        for (colour, other, ratio) in [
            (Colour::BLACK, Colour::WHITE, "21.00"),
            (Colour::WHITE, Colour::BLACK, "21.00"),
            (Colour::WHITE, Colour::WHITE, "1.00"),
            (Colour::new([0x76; 3]), Colour::WHITE, "4.54"),
            (Colour::new([0x77; 3]), Colour::WHITE, "4.48"),
        ] {
            assert_eq!(format!("{:.2}", colour.contrast(other)), ratio, "{colour} {other}");
        }
    }
}
