//! Signing in with an e-mail address and a password.

use askama::Template;
use portico_model::RequestId;

use crate::{AppName, Frame, path};

#[derive(Debug, Template)]
#[template(path = "sign_in.html")]
pub struct SignIn<'a> {
    pub frame: Frame<'a>,
    /// The authorization request that waits for this, and the app that made it.
    pub request: Option<(RequestId, AppName)>,
    /// What was typed before.
    pub email: &'a str,
    pub mistake: Option<Mistake>,
}

/// Why the form is shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    NoEmail,
    NoPassword,
    /// Which of the two is wrong, or whether such a person exists, is not said.
    WrongEmailOrPassword,
    /// The password was right, the person may not come in.
    Disabled,
}

impl Mistake {
    /// The message, for the summary and for the field.
    const fn text(self) -> &'static str {
        match self {
            Self::NoEmail => "Enter your e-mail address",
            Self::NoPassword => "Enter your password",
            Self::WrongEmailOrPassword => "The e-mail address or password is not right",
            Self::Disabled => "This account is switched off. Ask your administrator",
        }
    }

    /// Which field the message stands at.
    const fn is_at_email(self) -> bool {
        match self {
            Self::NoEmail | Self::Disabled => true,
            Self::NoPassword | Self::WrongEmailOrPassword => false,
        }
    }
}

impl SignIn<'_> {
    fn action(&self) -> String {
        self.frame.link(path::SIGN_IN)
    }

    fn email_mistake(&self) -> Option<&'static str> {
        self.mistake.filter(|mistake| mistake.is_at_email()).map(Mistake::text)
    }

    fn password_mistake(&self) -> Option<&'static str> {
        self.mistake.filter(|mistake| !mistake.is_at_email()).map(Mistake::text)
    }

    /// Where typing goes on.
    fn starts_at_email(&self) -> bool {
        self.mistake.map_or(self.email.is_empty(), Mistake::is_at_email)
    }
}
