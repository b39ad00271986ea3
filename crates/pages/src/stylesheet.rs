//! The one stylesheet, with a tenant's accent in front of it.

use portico_model::Colour;

use crate::Accent;

const SHARED: &str = include_str!("../assets/portico.css");

pub const CONTENT_TYPE: &str = "text/css; charset=utf-8";
/// Its address carries a tag of its content.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// The stylesheet of a tenant. The accent is a rule here, since the pages allow no inline style.
pub fn text(accent: Accent) -> String {
    let (light, dark) = (accent.on_light(), accent.on_dark());
    let rules = [
        rule("accent", light.fill, dark.fill),
        rule("accent-hover", light.fill_hover, dark.fill_hover),
        rule("on-accent", light.on_fill, dark.on_fill),
        rule("accent-text", light.text, dark.text),
    ];
    format!(":root {{\n{}}}\n{SHARED}", rules.concat())
}

fn rule(name: &str, light: Colour, dark: Colour) -> String {
    format!("  --{name}: light-dark({light}, {dark});\n")
}

/// Changes when the stylesheet does.
pub(crate) fn tag(accent: Accent) -> u32 {
    const OF_SHARED: u32 = fnv(SHARED.as_bytes(), 0x811c_9dc5);
    fnv(&accent.colour().channels(), OF_SHARED)
}

/// FNV-1a; a tag, not a defence.
const fn fnv(bytes: &[u8], mut hash: u32) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accent_is_all_that_a_tenant_changes() {
        let accent = Accent::new(Colour::new([0xff, 0xcc, 0x00]));
        let rules: String = text(accent).strip_suffix(SHARED).unwrap().to_owned();
        insta::assert_snapshot!(rules);
        assert_ne!(tag(accent), tag(Accent::DEFAULT));
    }
}
