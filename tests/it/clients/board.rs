//! The board of the demo as an app reads it, so that a test can say what it will read next.

use std::fmt::Write as _;

pub(super) struct Board {
    columns: [(&'static str, Vec<&'static str>); 3],
}

impl Board {
    pub(super) fn of_the_demo() -> Self {
        let to_do = vec!["Write the announcement", "Check the sign-up form on a phone"];
        let doing = vec!["Translate the pricing page"];
        Self { columns: [("To do", to_do), ("Doing", doing), ("Done", vec!["Choose a date"])] }
    }

    /// Without ids.
    pub(super) fn text(&self) -> String {
        let cards: usize = self.columns.iter().map(|(_, cards)| cards.len()).sum();
        let mut text = format!(
            "Launch [id] https://app.acme.example/boards/id: {} columns, {cards} cards\n",
            self.columns.len()
        );
        for (name, cards) in &self.columns {
            write!(text, "\n## {name} ({})\n", cards.len()).unwrap();
            for card in cards {
                writeln!(text, "- [id] {card} (unassigned)").unwrap();
            }
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// One that the card is not in.
    pub(super) fn next_column(&self, card: &str) -> &'static str {
        let is_free = |(_, cards): &&(&str, Vec<&str>)| !cards.contains(&card);
        self.columns[1..].iter().find(is_free).unwrap().0
    }

    /// To the end of another column; answers what the tool says.
    pub(super) fn move_card(&mut self, card: &'static str, to: &str) -> String {
        let holds = |(_, cards): &&mut (&str, Vec<_>)| cards.contains(&card);
        let (from, cards) = self.columns.iter_mut().find(holds).unwrap();
        let said = format!(
            "Moved the card \"{card}\" [id] from \"{from}\" to \"{to}\" on the board \"Launch\" \
             [id] (https://app.acme.example/boards/id)."
        );
        cards.retain(|known| *known != card);
        let (_, cards) = self.columns.iter_mut().find(|(name, _)| *name == to).unwrap();
        cards.push(card);
        said
    }
}
