//! The accent colour of a brand, which must carry white text (WCAG 2.2, 1.4.3).

use std::fmt;

/// The least contrast that ordinary text may have at level AA.
const LEAST_CONTRAST: f64 = 4.5;

/// A colour dark enough for white text, `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

/// Why a text is not such a colour.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("must be a colour such as #0b57d0")]
    Form,
    #[error("is too light: white text on it has a contrast of {contrast:.2}, and 4.5 is needed")]
    Contrast { contrast: f64 },
}

impl Colour {
    pub(crate) fn parse(text: &str) -> Result<Self, Unfit> {
        let digits = text.strip_prefix('#').ok_or(Unfit::Form)?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Unfit::Form);
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| Unfit::Form)?;
        let [_, red, green, blue] = number.to_be_bytes();
        let colour = Self([red, green, blue]);
        let contrast = colour.contrast_with_white();
        if contrast < LEAST_CONTRAST {
            return Err(Unfit::Contrast { contrast });
        }
        Ok(colour)
    }

    fn contrast_with_white(self) -> f64 {
        let [red, green, blue] = self.0.map(linear);
        let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        1.05 / (luminance + 0.05)
    }
}

/// A channel without the gamma of sRGB.
fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_taken_only_if_white_text_on_it_is_legible() {
        for (text, expected) in [
            ("#0b57d0", "#0b57d0"),
            ("#0B57D0", "#0b57d0"),
            ("#000000", "#000000"),
            ("#767676", "#767676"),
            ("#777777", "is too light: white text on it has a contrast of 4.48, and 4.5 is needed"),
            ("#ffffff", "is too light: white text on it has a contrast of 1.00, and 4.5 is needed"),
            ("0b57d0", "must be a colour such as #0b57d0"),
            ("#abc", "must be a colour such as #0b57d0"),
            ("#+12345", "must be a colour such as #0b57d0"),
            ("#ééé", "must be a colour such as #0b57d0"),
        ] {
            let said = match Colour::parse(text) {
                Ok(colour) => colour.to_string(),
                Err(unfit) => unfit.to_string(),
            };
            assert_eq!(said, expected, "{text}");
        }
    }
}
