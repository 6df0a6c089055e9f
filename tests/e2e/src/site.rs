//! The server of the page: `dist/` under any path, with any headers, and a memory of what was asked for.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use tokio::net::TcpListener;
use tokio::sync::watch::{self, Sender};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tower_http::services::ServeDir;

/// Where browsers tell of requests that leave this server.
const REPORTS: &str = "/reports";

/// A policy that forbids nothing and has every request to another server reported, by the page as well as by workers.
const REPORT_FOREIGN: &str = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; report-uri /reports";

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
}

/// A running server; it ends with the runtime it runs on.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    hosting: Hosting,
    memory: Arc<Mutex<Memory>>,
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
        Ok(Self { address, hosting, memory, end, serving })
    }

    /// Ends the server: from now on nobody answers.
    ///
    /// # Errors
    /// If it does not end in order.
    pub async fn end(self) -> Result<()> {
        let _ = self.end.send(());
        timeout(END_LIMIT, self.serving).await.context("the server goes on")?.context("the server fell over")
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

    /// Requests to other servers and to other folders of this one.
    pub fn strayed(&self) -> Vec<String> {
        let outside = |answered: &&Answered| !answered.path.starts_with(self.hosting.folder);
        remembering(&self.memory, |memory| {
            let astray = memory.answered.iter().filter(outside).map(|answered| answered.path.clone());
            astray.chain(memory.foreign.iter().cloned()).collect()
        })
    }
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
        .with_state(memory)
}

async fn answer(hosting: Hosting, memory: Arc<Mutex<Memory>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let is_missing = hosting.missing.iter().any(|file| path.ends_with(file));
    let mut response = if is_missing { StatusCode::NOT_FOUND.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY_REPORT_ONLY, HeaderValue::from_static(REPORT_FOREIGN));
    for (name, value) in hosting.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let status = response.status().as_u16();
    remembering(&memory, |memory| memory.answered.push(Answered { path, status }));
    response
}

/// A browser reports a request to another server.
async fn reported(State(memory): State<Arc<Mutex<Memory>>>, report: String) -> StatusCode {
    remembering(&memory, |memory| memory.foreign.push(report));
    StatusCode::NO_CONTENT
}

fn remembering<T>(memory: &Mutex<Memory>, act: impl FnOnce(&mut Memory) -> T) -> T {
    act(&mut memory.lock().unwrap_or_else(PoisonError::into_inner))
}
