//! A tenant's colour, and the shades of it that can be read on our surfaces.

use portico_model::Colour;

/// A tenant's colour as it was declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent(Colour);

/// The two surfaces of `portico.css` that the accent is seen on.
const LIGHT_SURFACE: Colour = Colour::WHITE;
const DARK_SURFACE: Colour = Colour::new([0x18, 0x1b, 0x21]);

/// What a shape needs, WCAG 2.2, 1.4.11.
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
    pub const DEFAULT: Self = Self(Colour::new([0x0b, 0x57, 0xd0]));

    pub const fn new(colour: Colour) -> Self {
        Self(colour)
    }

    pub(crate) fn on_light(self) -> Shades {
        shades(self.0, LIGHT_SURFACE, Colour::BLACK)
    }

    pub(crate) fn on_dark(self) -> Shades {
        shades(self.0, DARK_SURFACE, Colour::WHITE)
    }

    pub(crate) const fn colour(self) -> Colour {
        self.0
    }
}

fn shades(accent: Colour, surface: Colour, towards: Colour) -> Shades {
    let fill = readable(accent, surface, towards, SHAPE_CONTRAST);
    let (on_fill, away) = if fill.contrast(Colour::WHITE) >= fill.contrast(Colour::BLACK) {
        (Colour::WHITE, Colour::BLACK)
    } else {
        (Colour::BLACK, Colour::WHITE)
    };
    Shades {
        fill,
        fill_hover: mix(fill, away, 14),
        on_fill,
        text: readable(accent, surface, towards, Colour::TEXT_CONTRAST),
    }
}

/// The accent, moved no further than it must to be seen on the surface.
fn readable(accent: Colour, surface: Colour, towards: Colour, enough: f64) -> Colour {
    (0..100)
        .map(|percent| mix(accent, towards, percent))
        .find(|shade| shade.contrast(surface) >= enough)
        .unwrap_or(towards)
}

fn mix(from: Colour, towards: Colour, percent: u16) -> Colour {
    let [from, towards] = [from, towards].map(Colour::channels);
    let channel = |index: usize| {
        let (a, b) = (u16::from(from[index]), u16::from(towards[index]));
        u8::try_from((a * (100 - percent) + b * percent) / 100).unwrap_or(u8::MAX)
    };
    Colour::new([channel(0), channel(1), channel(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accent_can_be_read_in_both_themes() {
        let steps = || (0..=255u8).step_by(51);
        for red in steps() {
            for green in steps() {
                for blue in steps() {
                    let accent = Accent::new(Colour::new([red, green, blue]));
                    for (shades, surface) in
                        [(accent.on_light(), LIGHT_SURFACE), (accent.on_dark(), DARK_SURFACE)]
                    {
                        let ratios = [
                            (shades.text.contrast(surface), Colour::TEXT_CONTRAST),
                            (shades.fill.contrast(surface), SHAPE_CONTRAST),
                            (shades.on_fill.contrast(shades.fill), Colour::TEXT_CONTRAST),
                            (shades.on_fill.contrast(shades.fill_hover), Colour::TEXT_CONTRAST),
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
