//! The first data set of an experiment as a CSV of rollouts, client by client.

use crate::data::write;
use crate::figure::number::count;
use crate::sim::plan::{DataPlan, NoiseLevels};
use crate::sim::scenario::{Scenario, Settings};
use crate::sim::simulator::{Client, realize};
use crate::sim::stream::DataKey;
use fedsysid_say::say;

/// Maximum number of rows: about 200 MB of text.
const MOST_ROWS: u64 = 2_000_000;

/// The experiment of the example file: a dozen clients, of whom some gain by joining.
pub fn example() -> Settings {
    let data = DataPlan { n_rollouts: 10, rollout_len: 10, noise: NoiseLevels::UNIT };
    Settings { heterogeneity: 0.5, n_clients: 12, data: data.into(), ..Settings::paper() }
}

/// Writes the file, client by client.
#[derive(Debug)]
pub struct Simulated {
    scenario: Scenario,
    next: usize,
}

impl Simulated {
    /// Begins the file of the first data set of these settings.
    ///
    /// # Errors
    /// Why there is no file, in words: the settings cannot be run, or the file would have too many rows.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let scenario = Scenario::new(settings).map_err(|error| say!("These settings cannot be run: {error}."))?;
        let rows = |client| {
            let plan = scenario.plan(client);
            plan.n_rollouts as u64 * (plan.rollout_len as u64 + 1)
        };
        let n_rows = (0..scenario.settings().n_clients).map(rows).fold(0_u64, u64::saturating_add);
        if n_rows > MOST_ROWS {
            let [n_rows, most] = [n_rows, MOST_ROWS].map(|rows| count(usize::try_from(rows).unwrap_or(usize::MAX)));
            return Err(say!(
                "The simulated data would be a file of {n_rows} rows; up to {most} are saved. Fewer clients M, rollouts Nᵢ or steps T make it shorter."
            ));
        }
        Ok(Self { scenario, next: 0 })
    }

    /// Share of the file that is written, from 0 to 1.
    pub fn progress(&self) -> f64 {
        self.next as f64 / self.scenario.settings().n_clients as f64
    }
}

/// The texts of the file in order: one per client with its rows; the first begins with the header.
impl Iterator for Simulated {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let settings = self.scenario.settings();
        let client = self.next;
        let system = self.scenario.systems().get(client)?;
        let plan = self.scenario.plan(client);
        let key = DataKey { seed: settings.seed, trial: 0, client };
        let samples = realize(Client { system, plan, key });
        let head = if client == 0 { write::header(system.dims()) } else { String::new() };
        self.next += 1;
        Some(head + &write::rows(&(client + 1).to_string(), &samples, plan.rollout_len))
    }
}
