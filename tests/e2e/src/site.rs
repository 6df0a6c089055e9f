//! The server of the page: `dist/` under any path, with any headers, and a memory of what was asked for.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::watch::{self, Sender};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_http::services::ServeDir;

use crate::recorder::Recorder;

/// Where browsers tell of requests that leave this server.
const REPORTS: &str = "/reports";

/// Where documents tell of errors.
const ERRORS: &str = "/errors";

/// What every document begins with, where a strict policy wants it to be a file.
const FIRST: &str = "/first.js";

/// An empty page beside the page, to put frames on.
pub const AROUND: &str = "around.html";

const EMPTY: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>A page around</title>\
                     <link rel=icon href=data:,><body></body></html>";

/// A policy that forbids nothing and has every request to another server reported, by the page as well as by workers. The server
/// is named too: to a frame that a sandbox has taken its origin from, nothing is its own.
fn report_foreign(host: &str) -> String {
    format!("default-src 'self' http://{host} 'unsafe-inline' 'unsafe-eval' data: blob:; report-uri /reports")
}

/// Who Chromium and Firefox ask of their own accord, whatever they are told: for updates, settings, the time, forms. A page that
/// asked them would be reported by [`report_foreign`].
const BROWSERS_OWN: [&str; 7] =
    ["google.com", "googleapis.com", "gvt1.com", "mozilla.com", "mozilla.org", "mozilla.net", "firefox.com"];

/// How long a server may take to end: browsers keep connections open.
const END_LIMIT: Duration = Duration::from_secs(10);

/// How the page is served.
#[derive(Clone, Copy, Debug)]
pub struct Hosting {
    /// The folder that the page lies in, with slashes at both ends.
    pub folder: &'static str,
    /// Headers of every answer, besides those of a plain file server.
    pub headers: &'static [(&'static str, &'static str)],
    /// Files that are not there, although `dist/` has them.
    pub missing: &'static [&'static str],
}

impl Default for Hosting {
    fn default() -> Self {
        Self { folder: "/", headers: &[], missing: &[] }
    }
}

/// One request and the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The path asked for.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
}

/// What a server remembers.
#[derive(Debug, Default)]
struct Memory {
    answered: Vec<Answered>,
    foreign: Vec<String>,
    errors: Vec<String>,
    first: Option<String>,
}

/// A running server; it ends with the runtime it runs on.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    hosting: Hosting,
    memory: Arc<Mutex<Memory>>,
    recorder: Recorder,
    end: Sender<()>,
    serving: JoinHandle<()>,
}

impl Site {
    /// Serves the built page on a free port of this machine.
    ///
    /// # Errors
    /// If `dist` is not a built page, or no port is to be had.
    pub async fn serve(dist: &Path, hosting: Hosting) -> Result<Self> {
        ensure!(dist.join("index.html").is_file(), "{} is not a built page: there is no index.html", dist.display());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("no port to serve the page on")?;
        let address = listener.local_addr()?;
        let memory = Arc::default();
        let service = service(dist, hosting, Arc::clone(&memory));
        let (end, ended) = watch::channel(());
        let wait = async move {
            let mut ended = ended;
            let _ = ended.changed().await;
        };
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, service).with_graceful_shutdown(wait).await;
        });
        Ok(Self { address, hosting, memory, recorder: Recorder::listen().await?, end, serving })
    }

    /// Ends the server: from now on nobody answers.
    ///
    /// # Errors
    /// If it does not end in order.
    pub async fn end(self) -> Result<()> {
        let _ = self.end.send(());
        timeout(END_LIMIT, self.serving).await.context("the server goes on")?.context("the server fell over")
    }

    /// The proxy for all that is not on this machine: it refuses it, and remembers.
    pub fn elsewhere(&self) -> SocketAddr {
        self.recorder.address()
    }

    /// The address of the page with a query, which may begin with `?`.
    pub fn url(&self, query: &str) -> String {
        let query = query.trim_start_matches('?');
        let question = if query.is_empty() { "" } else { "?" };
        format!("http://{}{}{question}{query}", self.address, self.hosting.folder)
    }

    /// Everything that was asked for so far.
    pub fn answered(&self) -> Vec<Answered> {
        remembering(&self.memory, |memory| memory.answered.clone())
    }

    /// Has every document begin with a script, which may tell of errors, and witnesses them.
    pub fn begin_documents_with(&self, script: &str) {
        let first = format!("{script}\nwitness.tellServer({ERRORS:?});\n");
        remembering(&self.memory, |memory| memory.first = Some(first));
    }

    /// A document as it would be served: where every document begins with a script, with that script.
    pub fn witnessed(&self, document: &str) -> String {
        let first = remembering(&self.memory, |memory| memory.first.clone());
        first.map_or_else(|| document.to_owned(), |first| inserted(document, &format!("<script>{first}</script>")))
    }

    /// What went wrong in documents, and what could not be answered.
    pub fn complaints(&self) -> Vec<String> {
        remembering(&self.memory, |memory| {
            let failed = memory.answered.iter().filter(|answered| answered.status >= 400);
            let failed = failed.map(|answered| format!("{} for {}", answered.status, answered.path));
            memory.errors.iter().cloned().chain(failed).collect()
        })
    }

    /// Requests to other servers that came by the proxy, as "GET http://…" or "CONNECT host:443".
    pub fn proxied(&self) -> Vec<String> {
        self.recorder.asked()
    }

    /// Requests to other servers, by way of the proxy and as policies report them, and to other folders of this one.
    pub fn strayed(&self) -> Vec<String> {
        let outside = |answered: &&Answered| !answered.path.starts_with(self.hosting.folder);
        remembering(&self.memory, |memory| {
            let astray = memory.answered.iter().filter(outside).map(|answered| answered.path.clone());
            let pages = self.proxied().into_iter().filter(|asked| !is_browsers_own(asked));
            astray.chain(memory.foreign.iter().cloned()).chain(pages).collect()
        })
    }
}

/// Whether a request by the proxy is none of the page's: "CONNECT host:443", or "GET http://host/…".
fn is_browsers_own(asked: &str) -> bool {
    let address = asked.split(' ').nth(1).unwrap_or_default();
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = address.split(['/', ':']).next().unwrap_or_default();
    BROWSERS_OWN
        .iter()
        .any(|own| host.strip_suffix(own).is_some_and(|before| before.is_empty() || before.ends_with('.')))
}

/// What lies where, and what is remembered of it.
fn service(dist: &Path, hosting: Hosting, memory: Arc<Mutex<Memory>>) -> Router {
    let files = ServeDir::new(dist);
    let place = match hosting.folder.trim_end_matches('/') {
        "" => Router::new().fallback_service(files),
        folder => Router::new().nest_service(folder, files),
    };
    let remembered = Arc::clone(&memory);
    place
        .layer(middleware::from_fn(move |request, next| answer(hosting, Arc::clone(&remembered), request, next)))
        .route(REPORTS, post(reported))
        .route(ERRORS, post(told))
        .route(FIRST, get(first))
        .with_state(memory)
}

async fn answer(hosting: Hosting, memory: Arc<Mutex<Memory>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let policy = HeaderValue::try_from(report_foreign(host));
    let is_missing = hosting.missing.iter().any(|file| path.ends_with(file));
    let mut response = match path.strip_prefix(hosting.folder) {
        _ if is_missing => StatusCode::NOT_FOUND.into_response(),
        Some(AROUND) => Html(EMPTY).into_response(),
        _ => next.run(request).await,
    };
    if let Some(first) = remembering(&memory, |memory| memory.first.clone()) {
        response = begin_with(&first, hosting, response).await;
    }
    let headers = response.headers_mut();
    if let Ok(policy) = policy {
        headers.insert(header::CONTENT_SECURITY_POLICY_REPORT_ONLY, policy);
    }
    for (name, value) in hosting.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let status = response.status().as_u16();
    remembering(&memory, |memory| memory.answered.push(Answered { path, status }));
    response
}

/// The same answer; if it is a document, with the script in it. The file beside it is for policies that ask for one.
async fn begin_with(script: &str, hosting: Hosting, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_document = response.status() == StatusCode::OK && kind.is_some_and(|kind| kind.starts_with("text/html"));
    if !is_document {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::MAX).await else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let is_strict = hosting.headers.iter().any(|(name, _)| *name == "content-security-policy");
    let script =
        if is_strict { format!("<script src={FIRST}></script>") } else { format!("<script>{script}</script>") };
    let document = inserted(&String::from_utf8_lossy(&body), &script);
    head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(document.len()));
    Response::from_parts(head, Body::from(document))
}

/// After the title: what says how to read a document has to be near its beginning.
fn inserted(document: &str, script: &str) -> String {
    let title = document.find("</title>").map(|at| at + "</title>".len());
    let (before, after) = document.split_at(title.unwrap_or(0));
    format!("{before}{script}{after}")
}

async fn first(State(memory): State<Arc<Mutex<Memory>>>) -> impl IntoResponse {
    let script = remembering(&memory, |memory| memory.first.clone().unwrap_or_default());
    ([(header::CONTENT_TYPE, "text/javascript")], script)
}

/// A document tells of an error.
async fn told(State(memory): State<Arc<Mutex<Memory>>>, error: String) -> StatusCode {
    remembering(&memory, |memory| memory.errors.push(error));
    StatusCode::NO_CONTENT
}

/// A browser reports a request to another server. Where another policy forbids WebAssembly, Firefox has this one report it as well,
/// which is no request.
async fn reported(State(memory): State<Arc<Mutex<Memory>>>, report: String) -> StatusCode {
    if !report.contains(r#""blocked-uri":"wasm-eval""#) {
        remembering(&memory, |memory| memory.foreign.push(report));
    }
    StatusCode::NO_CONTENT
}

fn remembering<T>(memory: &Mutex<Memory>, act: impl FnOnce(&mut Memory) -> T) -> T {
    act(&mut memory.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browsers_own_requests_are_told_from_a_pages() {
        for own in [
            "CONNECT update.googleapis.com:443",
            "CONNECT aus5.mozilla.org:443",
            "GET http://clients2.google.com/time?x=1",
            "CONNECT google.com:443",
        ] {
            assert!(is_browsers_own(own), "{own}");
        }
        for page in
            ["CONNECT notgoogle.com:443", "GET http://elsewhere.test/google.com", "GET http://google.com.test/", ""]
        {
            assert!(!is_browsers_own(page), "{page}");
        }
    }
}
