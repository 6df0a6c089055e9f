//! A proxy that lets nothing through and remembers what was asked for: whatever a browser wants from anywhere but this machine
//! comes by here.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

const REFUSED: &[u8] = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A running proxy; it ends with the runtime it runs on.
#[derive(Debug)]
pub(crate) struct Recorder {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    /// Listens on a free port of this machine.
    pub(crate) async fn listen() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("no port to record requests on")?;
        let address = listener.local_addr()?;
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let remembered = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(refuse(stream, Arc::clone(&remembered)));
            }
        });
        Ok(Self { address, asked })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What was asked for so far, as "GET http://…" or "CONNECT host:443".
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads the head of a request and refuses it.
async fn refuse(stream: TcpStream, asked: Arc<Mutex<Vec<String>>>) -> Option<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next_line().await.ok()??;
    let wanted = request.rsplit_once(' ').map_or(request.as_str(), |(wanted, _)| wanted);
    asked.lock().unwrap_or_else(PoisonError::into_inner).push(wanted.to_owned());
    while lines.next_line().await.ok()?.is_some_and(|line| !line.is_empty()) {}
    lines.into_inner().write_all(REFUSED).await.ok()
}
