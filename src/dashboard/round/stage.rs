//! The stages of a round.

/// What a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The server's model has reached the clients.
    Start,
    /// So many local steps are done.
    Step(usize),
    /// The clients upload their models.
    Upload,
    /// The server takes their mean.
    Average,
    /// The mean goes out as the new model.
    Broadcast,
}
