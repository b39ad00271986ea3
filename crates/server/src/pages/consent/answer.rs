//! What the form of the question says. It knows what a form looks like, and nothing of what is
//! right.

use portico_model::{PersonId, RequestId, WorkspaceId};
use portico_oauth::consent::Pending;
use url::form_urlencoded;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) request: RequestId,
    /// Whom the page was shown to.
    pub(super) person: PersonId,
    pub(super) decision: Decision,
    access: Option<Access>,
    reach: Option<Reach>,
    ticked: Vec<WorkspaceId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Allow,
    Cancel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    All,
    Read,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    All,
    Some,
}

/// How much is given of what was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) only_reads: bool,
    /// `None`: every one, also later ones.
    pub(super) workspaces: Option<Vec<WorkspaceId>>,
}

impl Answer {
    /// `None`: a field is missing, or there twice, or says what no page of ours says.
    pub(super) fn parse(body: &[u8]) -> Option<Self> {
        let (mut request, mut person, mut decision) = (None, None, None);
        let (mut access, mut reach, mut ticked) = (None, None, Vec::new());
        for (name, value) in form_urlencoded::parse(body) {
            match &*name {
                "request" => put(&mut request, value.parse().ok()?)?,
                "person" => put(&mut person, value.parse().ok()?)?,
                "decision" => put(&mut decision, Decision::parse(&value)?)?,
                "access" => put(&mut access, Access::parse(&value)?)?,
                "workspaces" => put(&mut reach, Reach::parse(&value)?)?,
                "workspace" => ticked.push(value.parse().ok()?),
                _ => {}
            }
        }
        let (request, person, decision) = (request?, person?, decision?);
        Some(Self { request, person, decision, access, reach, ticked })
    }

    /// `None`: the form leaves open what the page had asked.
    pub(super) fn choice(&self, pending: &Pending) -> Option<Choice> {
        let only_reads = pending.has_levels() && self.access? == Access::Read;
        let workspaces = match pending.pinned {
            Some(_) => None,
            None => match self.reach? {
                Reach::All => None,
                Reach::Some => Some(self.ticked.clone()),
            },
        };
        Some(Choice { only_reads, workspaces })
    }
}

/// `None`: it was there before.
fn put<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

impl Decision {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "allow" => Some(Self::Allow),
            "cancel" => Some(Self::Cancel),
            _ => None,
        }
    }
}

impl Access {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "read" => Some(Self::Read),
            _ => None,
        }
    }
}

impl Reach {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "some" => Some(Self::Some),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "01900000-0000-7000-8000-000000000001";
    const TWO: &str = "01900000-0000-7000-8000-000000000002";

    // sec:E06
    #[test]
    fn each_field_is_there_once_and_only_workspaces_come_in_numbers() {
        let whole = format!("request={ONE}&person={TWO}&decision=allow&theme=dark");
        let answer = Answer::parse(whole.as_bytes()).unwrap();
        let expected = Answer {
            request: ONE.parse().unwrap(),
            person: TWO.parse().unwrap(),
            decision: Decision::Allow,
            access: None,
            reach: None,
            ticked: vec![],
        };
        assert_eq!(answer, expected);

        let more = format!("{whole}&access=read&workspaces=some&workspace={ONE}&workspace={TWO}");
        let answer = Answer::parse(more.as_bytes()).unwrap();
        let ticked = vec![ONE.parse().unwrap(), TWO.parse().unwrap()];
        let (access, reach) = (Some(Access::Read), Some(Reach::Some));
        assert_eq!(answer, Answer { access, reach, ticked, ..expected });

        for wrong in [
            String::new(),
            format!("request={ONE}&person={TWO}"),
            format!("request={ONE}&decision=allow"),
            format!("{whole}&decision=allow"),
            format!("{whole}&request={ONE}"),
            format!("{whole}&access=all&access=read"),
            format!("{whole}&access=write"),
            format!("{whole}&workspaces=all&workspaces=some"),
            format!("{whole}&workspaces="),
            format!("{whole}&workspace="),
            format!("{whole}&workspace=docs"),
        ] {
            assert_eq!(Answer::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
