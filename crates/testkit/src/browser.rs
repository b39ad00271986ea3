//! A browser without scripts: keeps each host's cookies, follows redirects within a site, fills and
//! sends the forms that pages have.

use std::collections::BTreeMap;

use axum::body::Body;
use http::{Request, header};
use url::Url;

use crate::gateway::form;
use crate::{Answer, Gateway};

const REDIRECTS: usize = 10;

#[derive(Clone)]
pub struct Browser {
    gateway: Gateway,
    cookies: BTreeMap<String, BTreeMap<String, String>>,
}

/// What the browser shows, or the address of another site that it was sent to.
#[derive(Clone, Debug)]
pub struct Page {
    pub url: Url,
    /// The last answer of the gateway.
    pub answer: Answer,
    has_left: bool,
}

impl Browser {
    pub fn new(gateway: &Gateway) -> Self {
        Self { gateway: gateway.clone(), cookies: BTreeMap::new() }
    }

    /// Those of the gateway's own origin.
    pub fn cookies(&self) -> BTreeMap<String, String> {
        self.cookies_of(&self.home())
    }

    fn cookies_of(&self, url: &Url) -> BTreeMap<String, String> {
        self.cookies.get(url.host_str().unwrap()).cloned().unwrap_or_default()
    }

    fn home(&self) -> Url {
        Url::parse(self.gateway.origin()).unwrap()
    }

    /// The same browser before another instance.
    #[must_use]
    pub fn before(mut self, gateway: &Gateway) -> Self {
        self.gateway = gateway.clone();
        self
    }

    pub async fn open(&mut self, url: &str) -> Page {
        self.go(url, None).await
    }

    /// Presses the button of that text, after the fields have been filled in. A field that is
    /// named twice has both values, as boxes that were ticked do.
    pub async fn press(&mut self, page: &Page, button: &str, fields: &[(&str, &str)]) -> Page {
        let form = page.form(button);
        let action = page.url.join(&form.action).unwrap();
        let mut sent = form.fields;
        sent.retain(|(known, _)| !fields.iter().any(|(name, _)| known == name));
        for (name, value) in fields {
            assert!(form.names.iter().any(|known| known == name), "there is no field {name}");
            sent.push(((*name).to_owned(), (*value).to_owned()));
        }
        self.go(action.as_str(), Some(&sent)).await
    }

    /// Sends a form that no page had, as another tab or site could.
    pub async fn post(&mut self, url: &str, fields: &[(&str, &str)]) -> Page {
        let fields: Vec<_> =
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.go(url, Some(&fields)).await
    }

    /// One request with the cookies that it has and whatever the test puts in; it follows nothing
    /// and keeps nothing.
    pub async fn send(&self, request: http::request::Builder, fields: &[(&str, &str)]) -> Answer {
        let request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let url = request.uri_ref().and_then(|uri| self.home().join(&uri.to_string()).ok());
        let url = url.unwrap_or_else(|| self.home());
        let request = self.with_cookies(&url, request).body(Body::from(form(fields))).unwrap();
        self.gateway.send(request).await
    }

    fn with_cookies(&self, url: &Url, request: http::request::Builder) -> http::request::Builder {
        let cookies = self.cookies_of(url);
        if cookies.is_empty() {
            return request;
        }
        let cookies: Vec<String> =
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        request.header(header::COOKIE, cookies.join("; "))
    }

    async fn go(&mut self, url: &str, fields: Option<&[(String, String)]>) -> Page {
        let mut url = self.home().join(url).unwrap();
        let origin = url.origin();
        let mut answer = self.request(&url, fields).await;
        for _ in 0..REDIRECTS {
            let Some(target) = answer.header("location") else {
                return Page { url, answer, has_left: false };
            };
            url = url.join(target).unwrap();
            if url.origin() != origin {
                return Page { url, answer, has_left: true };
            }
            answer = self.request(&url, None).await;
        }
        panic!("the redirects never end: {url}");
    }

    async fn request(&mut self, url: &Url, fields: Option<&[(String, String)]>) -> Answer {
        let request = Request::builder().uri(url.as_str()).header(header::ACCEPT, "text/html");
        let mut request = self.with_cookies(url, request);
        let body = match fields {
            Some(fields) => {
                request = request
                    .method("POST")
                    .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .header(header::ORIGIN, url.origin().ascii_serialization())
                    .header("sec-fetch-site", "same-origin");
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                Body::from(form(&fields))
            }
            None => Body::empty(),
        };
        let answer = self.gateway.send(request.body(body).unwrap()).await;
        for cookie in answer.headers.get_all(header::SET_COOKIE) {
            self.keep(url, cookie.to_str().unwrap());
        }
        answer
    }

    fn keep(&mut self, url: &Url, cookie: &str) {
        let cookies = self.cookies.entry(url.host_str().unwrap().to_owned()).or_default();
        let mut parts = cookie.split(';').map(str::trim);
        let (name, value) = parts.next().unwrap().split_once('=').unwrap();
        if value.is_empty() || parts.any(|part| part.eq_ignore_ascii_case("max-age=0")) {
            cookies.remove(name);
        } else {
            cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// A form as it would be sent by one of its buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    action: String,
    /// Of all fields, also those that are not sent unless they are chosen.
    names: Vec<String>,
    fields: Vec<(String, String)>,
}

impl Page {
    /// Whether the browser was sent to another site.
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    pub fn title(&self) -> String {
        between(&self.answer.body, "<title>", "</title>").map(unescape).unwrap_or_default()
    }

    /// Status and title, without the brand.
    pub fn brief(&self) -> String {
        let title = self.title();
        let title = title.rsplit_once(" · ").map_or(title.as_str(), |(title, _)| title);
        format!("{} {title}", self.answer.status.as_u16())
    }

    /// A parameter of its address.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let found = self.url.query_pairs().find(|(known, _)| known == name);
        found.map(|(_, value)| value.into_owned())
    }

    /// Whether there is a button whose text begins so.
    pub fn has_button(&self, button: &str) -> bool {
        self.find(button).is_some()
    }

    fn form(&self, button: &str) -> Form {
        self.find(button)
            .unwrap_or_else(|| panic!("{} has no button {button}:\n{}", self.url, self.answer.body))
    }

    fn find(&self, button: &str) -> Option<Form> {
        self.answer.body.split("<form ").skip(1).find_map(|rest| {
            let (tag, rest) = rest.split_once('>')?;
            let inside = rest.split("</form>").next()?;
            let pressed = inside.split("<button ").skip(1).find_map(|rest| {
                let (tag, text) = rest.split_once('>')?;
                text.trim_start().starts_with(button).then_some(tag)
            })?;
            let inputs = inside.split("<input ").skip(1).filter_map(|rest| rest.split('>').next());
            let inputs: Vec<&str> = inputs.collect();
            let names = inputs.iter().filter_map(|tag| attribute(tag, "name")).collect();
            let sent = inputs.into_iter().filter(|tag| is_sent(tag));
            let fields = sent.chain([pressed]).filter_map(|tag| {
                let value = attribute(tag, "value").unwrap_or_default();
                Some((attribute(tag, "name")?, value))
            });
            Some(Form { action: attribute(tag, "action")?, names, fields: fields.collect() })
        })
    }
}

/// A choice is sent if it was made.
fn is_sent(tag: &str) -> bool {
    let is_choice = tag.contains("type=\"radio\"") || tag.contains("type=\"checkbox\"");
    !is_choice || tag.split_whitespace().any(|word| word == "checked")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let tag = format!(" {tag}");
    between(&tag, &format!(" {name}=\""), "\"").map(unescape)
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found)
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
        .replace("&amp;", "&")
}
