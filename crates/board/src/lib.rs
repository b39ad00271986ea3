//! Boards with columns of cards: the module `board`. Each tool is one file. It knows nothing of
//! HTTP, MCP, or whether the caller may do what they ask for.

mod create_board;
mod create_card;
mod find;
mod list_boards;
mod move_card;
mod read_board;
mod text;
mod update_card;

use portico_registry::{Module, Tool};

pub fn module() -> Module {
    Module {
        name: "board",
        tools: vec![
            Tool::query::<list_boards::ListBoards>(),
            Tool::query::<read_board::ReadBoard>(),
            Tool::command::<create_board::CreateBoard>(),
            Tool::command::<create_card::CreateCard>(),
            Tool::command::<update_card::UpdateCard>(),
            Tool::command::<move_card::MoveCard>(),
        ],
    }
}

#[cfg(test)]
mod tests;
