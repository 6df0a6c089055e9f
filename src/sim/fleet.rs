//! The clients of one data set, in blocks of eight.

use super::lanes::{LANES, LaneMatrix, Lanes};
use super::moments::Moments;
use super::system::Dims;

/// A block of eight clients. In the last block of a fleet some lanes may be empty.
#[derive(Clone, Debug)]
pub struct Block {
    /// Gram matrices `S_i`, d×d.
    pub s: LaneMatrix,
    /// Cross moments `C_i`, n×d.
    pub c: LaneMatrix,
    /// 1 where there is a client, 0 where there is none.
    pub present: Lanes,
    /// Number of samples of each client, N_i·T_i.
    pub n_samples: [u64; LANES],
    /// Local steps K_i of each client per round.
    pub n_local_steps: [usize; LANES],
}

impl Block {
    pub(super) fn new(dims: Dims) -> Self {
        let d = dims.n_regressors();
        Self {
            s: LaneMatrix::zeros(d, d),
            c: LaneMatrix::zeros(dims.n_states, d),
            present: Lanes::default(),
            n_samples: [0; LANES],
            n_local_steps: [0; LANES],
        }
    }

    /// Removes all clients. Empty lanes get the number of local steps of the first client to come, so that blocks with
    /// equal numbers can be recognised.
    pub(super) fn clear(&mut self, n_local_steps: usize) {
        self.s.fill(0.0);
        self.c.fill(0.0);
        self.present = Lanes::default();
        self.n_samples = [0; LANES];
        self.n_local_steps = [n_local_steps; LANES];
    }

    /// The moments of the client in a lane.
    pub fn moments(&self, lane: usize) -> Moments {
        Moments { s: self.s.lane(lane), c: self.c.lane(lane), n_samples: self.n_samples[lane] }
    }
}

/// The clients of one data set.
#[derive(Clone, Debug)]
pub struct Fleet {
    dims: Dims,
    n_clients: usize,
    /// May have more blocks than the clients need.
    blocks: Vec<Block>,
}

impl Fleet {
    /// A fleet without clients, for systems of the sizes `dims`.
    pub fn new(dims: Dims) -> Self {
        Self { dims, n_clients: 0, blocks: Vec::new() }
    }

    /// Adds a client with `n_local_steps` local steps per round. The first is client 1.
    pub fn add(&mut self, moments: &Moments, n_local_steps: usize) {
        let lane = self.n_clients % LANES;
        let block = self.open_block(n_local_steps);
        block.s.set_lane(lane, &moments.s);
        block.c.set_lane(lane, &moments.c);
        block.n_samples[lane] = moments.n_samples;
        self.enter(n_local_steps);
    }

    /// Adds the clients of a block, which must be the next ones, each in its lane (its index modulo eight).
    /// `n_local_steps` gives the local steps per round of a client (0-based).
    pub fn add_block(&mut self, clients: &Block, n_local_steps: impl Fn(usize) -> usize) {
        let block = self.open_block(n_local_steps(self.n_clients));
        block.s.copy_where(clients.present, &clients.s);
        block.c.copy_where(clients.present, &clients.c);
        for lane in (0..LANES).filter(|&lane| clients.present.0[lane] > 0.0) {
            block.n_samples[lane] = clients.n_samples[lane];
        }
        for _ in clients.present.0.iter().filter(|&&present| present > 0.0) {
            self.enter(n_local_steps(self.n_clients));
        }
    }

    /// The block of the next client.
    fn open_block(&mut self, n_local_steps: usize) -> &mut Block {
        let (index, lane) = (self.n_clients / LANES, self.n_clients % LANES);
        if index == self.blocks.len() {
            self.blocks.push(Block::new(self.dims));
        }
        let block = &mut self.blocks[index];
        if lane == 0 {
            block.clear(n_local_steps);
        }
        block
    }

    /// Counts the next client, once its moments are in its block.
    fn enter(&mut self, n_local_steps: usize) {
        let (index, lane) = (self.n_clients / LANES, self.n_clients % LANES);
        let block = &mut self.blocks[index];
        block.present.0[lane] = 1.0;
        block.n_local_steps[lane] = n_local_steps;
        self.n_clients += 1;
    }

    /// Removes all clients and keeps the memory.
    pub fn clear(&mut self) {
        self.n_clients = 0;
    }

    /// The sizes n and p.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// The number of clients.
    pub fn n_clients(&self) -> usize {
        self.n_clients
    }

    /// The clients, in blocks of eight.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks[..self.n_clients.div_ceil(LANES)]
    }

    /// The sum of all clients' moments.
    pub fn total(&self) -> Moments {
        let d = self.dims.n_regressors();
        let (mut s, mut c) = (LaneMatrix::zeros(d, d), LaneMatrix::zeros(self.dims.n_states, d));
        let mut total = Moments::zeros(self.dims);
        for block in self.blocks() {
            s.add_weighted(block.present, &block.s);
            c.add_weighted(block.present, &block.c);
            total.n_samples += block.n_samples.iter().sum::<u64>();
        }
        s.sum_lanes(&mut total.s);
        c.sum_lanes(&mut total.c);
        total
    }

    /// Divides every client's moments by its number of samples, which makes gradients means instead of sums.
    pub fn normalize(&mut self) {
        let n_blocks = self.blocks().len();
        for block in &mut self.blocks[..n_blocks] {
            let share = Lanes::from_fn(|lane| 1.0 / block.n_samples[lane].max(1) as f64);
            block.s.scale(share);
            block.c.scale(share);
        }
    }
}
