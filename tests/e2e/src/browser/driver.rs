//! The programs that drive browsers, each on a free port of this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{sleep, timeout};

/// How long a program may take to listen.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Time between two looks whether a program listens.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How often a program is started that does not come to listen: what it has chosen may be taken before it has it.
const ATTEMPTS: usize = 3;

/// Starts a program until it listens, a few times at most.
async fn until_it_listens<T>(start: impl AsyncFn() -> Result<T>) -> Result<T> {
    for _ in 1..ATTEMPTS {
        if let Ok(started) = start().await {
            return Ok(started);
        }
    }
    start().await
}

/// Starts a program that chooses something free, a port or a display, and writes a line with it after `sign`.
pub(super) async fn start_telling(command: impl Fn() -> Command, program: &Path, sign: &str) -> Result<(Child, u16)> {
    until_it_listens(async || start_telling_once(&mut command(), program, sign).await).await
}

async fn start_telling_once(command: &mut Command, program: &Path, sign: &str) -> Result<(Child, u16)> {
    let mut process = spawn(command.stdout(Stdio::piped()), program)?;
    let output = process.stdout.take().context("the program has no output")?;
    let free = timeout(START_LIMIT, number_after(sign, output)).await;
    let free = free.with_context(|| format!("{} does not listen", program.display()))??;
    Ok((process, free))
}

/// Starts a program that cannot choose a port by itself.
pub(super) async fn start_on_free_port(command: impl Fn() -> Command, program: &Path) -> Result<(Child, u16)> {
    until_it_listens(async || start_on_free_port_once(&mut command(), program).await).await
}

async fn start_on_free_port_once(command: &mut Command, program: &Path) -> Result<(Child, u16)> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let mut process = spawn(command.arg(format!("--port={port}")).stdout(Stdio::null()), program)?;
    let listens = async {
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
            if let Some(status) = process.try_wait()? {
                bail!("{} ended before it listened: {status}", program.display());
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    };
    timeout(START_LIMIT, listens).await.with_context(|| format!("{} does not listen", program.display()))??;
    Ok((process, port))
}

/// Ends when dropped.
fn spawn(command: &mut Command, program: &Path) -> Result<Child> {
    let spawned = command.stderr(Stdio::null()).kill_on_drop(true).spawn();
    spawned.with_context(|| format!("{} cannot be started", program.display()))
}

async fn number_after(sign: &str, output: ChildStdout) -> Result<u16> {
    let mut lines = BufReader::new(output).lines();
    while let Some(line) = lines.next_line().await? {
        let Some((_, number)) = line.split_once(sign) else { continue };
        let number = number.trim_end_matches('.').parse()?;
        // A program that nobody reads would block once the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        return Ok(number);
    }
    bail!("the program ended before it listened")
}
