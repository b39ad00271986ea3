//! A tenant's colour, and the shades of it that can be read on our surfaces.

/// A colour as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent(Colour);

pub(crate) type Colour = [u8; 3];

pub(crate) const WHITE: Colour = [0xff; 3];
pub(crate) const BLACK: Colour = [0; 3];
/// The two surfaces of `portico.css` that the accent is seen on.
pub(crate) const LIGHT_SURFACE: Colour = WHITE;
pub(crate) const DARK_SURFACE: Colour = [0x18, 0x1b, 0x21];

/// WCAG 2.2, 1.4.3 and 1.4.11.
const TEXT_CONTRAST: f64 = 4.5;
const SHAPE_CONTRAST: f64 = 3.0;

/// What one theme makes of the accent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shades {
    /// A button's ground.
    pub(crate) fill: Colour,
    pub(crate) fill_hover: Colour,
    /// Text on `fill`.
    pub(crate) on_fill: Colour,
    /// The accent as text, and as the ring around what has the focus.
    pub(crate) text: Colour,
}

impl Accent {
    pub const DEFAULT: Self = Self([0x0b, 0x57, 0xd0]);

    /// `None` for anything but `#rrggbb`: what is read here ends up in a stylesheet.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    pub(crate) fn on_light(self) -> Shades {
        shades(self.0, LIGHT_SURFACE, BLACK)
    }

    pub(crate) fn on_dark(self) -> Shades {
        shades(self.0, DARK_SURFACE, WHITE)
    }

    pub(crate) const fn colour(self) -> Colour {
        self.0
    }
}

fn shades(accent: Colour, surface: Colour, towards: Colour) -> Shades {
    let fill = readable(accent, surface, towards, SHAPE_CONTRAST);
    let (on_fill, away) = if contrast(fill, WHITE) >= contrast(fill, BLACK) {
        (WHITE, BLACK)
    } else {
        (BLACK, WHITE)
    };
    Shades {
        fill,
        fill_hover: mix(fill, away, 14),
        on_fill,
        text: readable(accent, surface, towards, TEXT_CONTRAST),
    }
}

/// The accent, moved no further than it must to be seen on the surface.
fn readable(accent: Colour, surface: Colour, towards: Colour, enough: f64) -> Colour {
    (0..100)
        .map(|percent| mix(accent, towards, percent))
        .find(|shade| contrast(*shade, surface) >= enough)
        .unwrap_or(towards)
}

fn mix(from: Colour, towards: Colour, percent: u16) -> Colour {
    let channel = |index: usize| {
        let (a, b) = (u16::from(from[index]), u16::from(towards[index]));
        u8::try_from((a * (100 - percent) + b * percent) / 100).unwrap_or(u8::MAX)
    };
    [channel(0), channel(1), channel(2)]
}

/// WCAG's ratio, from 1 to 21.
fn contrast(a: Colour, b: Colour) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: Colour) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126f64.mul_add(red, 0.7152f64.mul_add(green, 0.0722 * blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        assert_eq!(Accent::parse("#0B57d0"), Some(Accent::DEFAULT));
        for text in ["", "#", "0b57d0", "#0b57d", "#0b57d00", "#+b57d0", "red", "#0b57d0;}"] {
            assert_eq!(Accent::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn every_accent_can_be_read_in_both_themes() {
        let steps = || (0..=255u8).step_by(51);
        for red in steps() {
            for green in steps() {
                for blue in steps() {
                    let accent = Accent([red, green, blue]);
                    for (shades, surface) in
                        [(accent.on_light(), LIGHT_SURFACE), (accent.on_dark(), DARK_SURFACE)]
                    {
                        let ratios = [
                            (contrast(shades.text, surface), TEXT_CONTRAST),
                            (contrast(shades.fill, surface), SHAPE_CONTRAST),
                            (contrast(shades.on_fill, shades.fill), TEXT_CONTRAST),
                            (contrast(shades.on_fill, shades.fill_hover), TEXT_CONTRAST),
                        ];
                        for (found, wanted) in ratios {
                            assert!(found >= wanted, "{accent:?} {shades:?} {found}");
                        }
                    }
                }
            }
        }
    }
}
