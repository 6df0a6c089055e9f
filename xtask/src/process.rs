//! Running other programs: quietly with a log and a time limit, live, or for what they print.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::report;

/// How many of the last lines of a log an error repeats.
const TAIL: usize = 12;

/// How often a long step shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// How often a running program is looked at.
const POLL: Duration = Duration::from_millis(50);

/// The cargo that runs this program, past any proxy: all of a run uses one toolchain.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The compiler that belongs to [`cargo`].
pub(crate) fn rustc() -> Command {
    let file = format!("rustc{}", std::env::consts::EXE_SUFFIX);
    let beside_cargo = std::env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name(file));
    Command::new(beside_cargo.filter(|path| path.is_file()).unwrap_or_else(|| "rustc".into()))
}

/// What `command` prints, trimmed; `None` when it cannot run or fails.
pub(crate) fn capture(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs `command` with its output on this terminal.
pub(crate) fn live(command: &mut Command) -> Result<ExitStatus> {
    let shown = describe(command);
    command.status().with_context(|| format!("`{shown}` could not be started"))
}

/// Lets `command` take this program's place: whoever stops this program means that one. Returns only if it cannot.
#[cfg(unix)]
pub(crate) fn hand_over(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    bail!("`{}` could not be started: {error}", describe(command))
}

/// Runs `command` to its end, as all that is left to do.
#[cfg(not(unix))]
pub(crate) fn hand_over(command: &mut Command) -> Result<()> {
    if !live(command)?.success() {
        bail!("`{}` failed; see above", describe(command));
    }
    Ok(())
}

/// Runs `command` with its output on this terminal, and hands each line of it to `read`.
pub(crate) fn live_lines(command: &mut Command, mut read: impl FnMut(&str)) -> Result<ExitStatus> {
    let shown = describe(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("`{shown}` could not be started"))?;
    let stdout = child.stdout.take().context("a pipe was asked for")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.context("its output could not be read")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        read(&line);
    }
    child.wait().with_context(|| format!("`{shown}` could not be waited for"))
}

/// A program whose output goes to a log, and which must end within a time limit.
pub(crate) struct Logged {
    pub(crate) log: PathBuf,
    pub(crate) limit: Duration,
}

impl Logged {
    /// Runs `command` to its end.
    ///
    /// # Errors
    /// When it cannot start, fails or exceeds the limit: a text with the last lines of its output
    /// and the place of the whole log.
    pub(crate) fn run(&self, command: &mut Command) -> Result<()> {
        let shown = describe(command);
        let log = create(&self.log)?;
        command.stdin(Stdio::null()).stdout(log.try_clone().context("the log cannot be shared")?).stderr(log);
        let mut child = command.spawn().map_err(|error| anyhow!("`{shown}` could not be started: {error}"))?;
        match wait(&mut child, self.limit)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => bail!("`{shown}` failed ({status}){}", self.tail()),
            None => bail!("`{shown}` was stopped after {}{}", report::seconds(self.limit), self.tail()),
        }
    }

    fn tail(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines = last_lines(&text, TAIL);
        let log = self.log.display();
        if lines.is_empty() {
            return format!("; it printed nothing (log: {log})");
        }
        format!("; its last lines:\n    {}\n  the whole log: {log}", lines.join("\n    "))
    }
}

/// `None` when the limit was reached; the program is then stopped.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut next_heartbeat = HEARTBEAT;
    loop {
        if let Some(status) = child.try_wait().context("a program could not be waited for")? {
            return Ok(Some(status));
        }
        let elapsed = start.elapsed();
        if elapsed > limit {
            stop(child).context("a program could not be stopped")?;
            return Ok(None);
        }
        if elapsed > next_heartbeat {
            report::still(elapsed);
            next_heartbeat += HEARTBEAT;
        }
        thread::sleep(POLL);
    }
}

fn stop(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

fn create(log: &Path) -> Result<File> {
    let folder = log.parent().unwrap_or(log);
    fs::create_dir_all(folder)
        .and_then(|()| File::create(log))
        .with_context(|| format!("cannot write the log {}", log.display()))
}

/// The command as one would type it.
fn describe(command: &Command) -> String {
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

fn last_lines(text: &str, count: usize) -> Vec<&str> {
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_the_last_lines_that_say_something() {
        assert_eq!(last_lines("a\n\nb\nc\n\n", 2), ["b", "c"]);
        assert_eq!(last_lines("a", 2), ["a"]);
        assert!(last_lines("\n \n", 2).is_empty());
    }

    #[test]
    fn a_command_reads_as_typed() {
        let mut command = Command::new("cargo");
        command.args(["install", "trunk"]);
        assert_eq!(describe(&command), "cargo install trunk");
    }

    #[cfg(unix)]
    mod unix {
        use super::*;

        #[track_caller]
        fn check(script: &str, limit: Duration, expected: Result<(), &[&str]>) {
            let folder = tempfile::tempdir().unwrap();
            let result = Logged { log: folder.path().join("new/step.log"), limit }
                .run(Command::new("sh").args(["-c", script]))
                .map_err(|error| error.to_string());
            match (result, expected) {
                (Ok(()), Ok(())) => {}
                (Err(error), Err(parts)) => {
                    for part in parts {
                        assert!(error.contains(part), "{error}");
                    }
                }
                (result, expected) => panic!("{result:?} where {expected:?} was expected"),
            }
        }

        #[test]
        fn logged_programs_succeed_fail_or_run_out_of_time() {
            let minute = Duration::from_mins(1);
            check("true", minute, Ok(()));
            check("echo why >&2; exit 3", minute, Err(&["exit status: 3", "why", ".log"]));
            check("exit 1", minute, Err(&["it printed nothing"]));
            check("exec sleep 30", Duration::from_millis(100), Err(&["was stopped after 0.1 s"]));
        }
    }
}
