//! Building the page, and serving it while one works on it.

use std::env;
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::project::Project;
use crate::setup::browser::{CHROME_VARIABLE, DRIVER_VARIABLE};
use crate::setup::engine::{Engine, Engines};
use crate::setup::{self, SiteTools};
use crate::{process, report, single};

/// The variable that tells what works on the page in a browser where the built page is.
pub(crate) const DIST_VARIABLE: &str = "FEDSYSID_DIST";

/// How the page is served.
#[derive(Args)]
pub(crate) struct ServeOptions {
    /// The port to listen on.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen on; 0.0.0.0 shows the page to other devices on the network.
    #[arg(long, default_value = "127.0.0.1")]
    address: IpAddr,
    /// Open the page in the default browser once it is built.
    #[arg(long)]
    open: bool,
    /// Build without optimization: quicker to build, slower to run.
    #[arg(long)]
    dev: bool,
}

/// Sets up and builds `dist/`.
pub(crate) fn build(project: &Project) -> Result<()> {
    let tools = setup::site(project)?;
    build_with(project, &tools)
}

/// Sets up and builds `dist/`, and makes one file of it.
pub(crate) fn build_single_file(project: &Project) -> Result<()> {
    build(project)?;
    single::make(&project.dist())
}

/// Sets up a browser as well, builds `dist/` with the page as one file, and tells `command` where all of them are.
pub(crate) fn build_for_browser(project: &Project, command: &mut Command) -> Result<()> {
    let tools = setup::site(project)?;
    let pair = setup::browser(project)?;
    build_with(project, &tools)?;
    single::make(&project.dist())?;
    command
        .env(DIST_VARIABLE, project.dist())
        .env(CHROME_VARIABLE, pair.chrome.path)
        .env(DRIVER_VARIABLE, pair.driver.path);
    Ok(())
}

/// Sets up engines as well, and builds `dist/` with the page as one file.
pub(crate) fn build_for_engines(project: &Project, asked: &[Engine]) -> Result<Engines> {
    let tools = setup::site(project)?;
    let engines = setup::engines(project, asked)?;
    build_with(project, &tools)?;
    single::make(&project.dist())?;
    Ok(engines)
}

/// Builds `dist/` with tools that are in place.
fn build_with(project: &Project, tools: &SiteTools) -> Result<()> {
    report::heading("Build: dist/");
    let start = Instant::now();
    let mut trunk = trunk(project, tools, "build")?;
    // Progress is no result: whoever reads this program's output gets results alone.
    trunk.arg("--release").stdout(io::stderr());
    if !process::live(&mut trunk)?.success() {
        bail!("the page could not be built; the bundler's messages are above");
    }
    report::note(&format!("{} is ready, built in {}", project.dist().display(), report::seconds(start.elapsed())));
    Ok(())
}

/// Sets up, then builds and serves until it is interrupted.
pub(crate) fn serve(project: &Project, options: &ServeOptions) -> Result<()> {
    let address = SocketAddr::new(options.address, options.port);
    check_free(address)?;
    let tools = setup::site(project)?;
    // Trunk.toml has it ignored, which only works for a folder that is there.
    fs::create_dir_all(project.root.join("target")).context("cannot create the folder target")?;
    report::heading("Serve");
    let mut trunk = trunk(project, &tools, "serve")?;
    trunk
        .args(["--port", &options.port.to_string()])
        .args(["--address", &options.address.to_string()])
        // The served page reloads itself; the deployable one in dist/ must not.
        .arg("--dist")
        .arg(project.target.join("served"));
    if !options.dev {
        trunk.arg("--release");
    }
    if options.open {
        trunk.arg("--open");
    }
    report::note(&format!("FedSysID live will be at http://{address}/ as soon as it is built. Ctrl-C stops it."));
    process::hand_over(&mut trunk)
}

/// The bundler with what all its commands share.
fn trunk(project: &Project, tools: &SiteTools, command: &str) -> Result<Command> {
    let mut trunk = Command::new(&tools.trunk);
    trunk
        .args([command, "--offline"])
        .current_dir(&project.root)
        // Apart from the native builds: another compiler or other flags would rebuild everything.
        .env("CARGO_TARGET_DIR", project.target.join("wasm"))
        .env(FLAGS_VARIABLE, flags(&[(home().as_deref(), "~"), (Some(&project.root), ".")]));
    if env::var_os("NO_COLOR").is_some() {
        // Trunk takes nothing but "true" or "false" here, where any text should do.
        trunk.env("NO_COLOR", "true");
    }
    if env::var_os("RUST_LOG").is_none() {
        // Its JavaScript minifier warns at each build that it cannot read the module's glue code.
        trunk.env("RUST_LOG", "warn,trunk=info,trunk::processing::minify=error");
    }
    tools.apply(&mut trunk)?;
    Ok(trunk)
}

/// Where Cargo takes flags from besides those of its configuration.
const FLAGS_VARIABLE: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";

/// This account's home folder; none where that is everything.
fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.parent().is_some())
}

/// Whoever builds the page has flags perhaps, and folders: the module says where in its sources something cannot go on, which
/// is nobody's business as far as it is beyond these folders. What has a space in it would be several flags.
fn flags(folders: &[(Option<&Path>, &str)]) -> String {
    let own = env::var(FLAGS_VARIABLE).ok();
    let renamed = folders.iter().filter_map(|(folder, name)| Some((folder.as_ref()?.to_str()?, name)));
    let renamed = renamed
        .filter(|(folder, _)| !folder.is_empty() && !folder.contains(char::is_whitespace))
        .map(|(folder, name)| format!("--remap-path-prefix={folder}={name}"));
    own.into_iter().chain(renamed).collect::<Vec<_>>().join(" ")
}

fn check_free(address: SocketAddr) -> Result<()> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) => bail!("cannot listen on {address}: {error}\n  what to do: choose another port with --port"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_refused_in_words() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let error = check_free(address).unwrap_err().to_string();
        assert!(error.contains(&address.to_string()), "{error}");
        assert!(error.contains("--port"), "{error}");
        drop(listener);
        assert!(check_free(address).is_ok());
    }

    #[test]
    fn folders_are_renamed_unless_they_would_be_several_flags() {
        let folders = [(Some(Path::new("/home/someone")), "~"), (None, "x"), (Some(Path::new("/a folder")), ".")];
        let flags = flags(&folders);
        assert!(flags.ends_with("--remap-path-prefix=/home/someone=~"), "{flags}");
        assert!(!flags.contains("/a folder") && !flags.contains("=x"), "{flags}");
    }
}
