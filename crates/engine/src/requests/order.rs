//! Which of the requests of an arm comes when. Pure.

use super::RequestId;
use crate::schedule::Place;
use hopcost_common::failure::Failure;
use hopcost_common::seeds::Sequence;
use std::sync::Arc;

/// The sum of the weights after their common divisor is taken out.
const MAX_CYCLE: u64 = 65_536;

/// The order in which requests are sent, over and over.
#[derive(Debug, Clone)]
pub enum Order {
    /// There is one request.
    Only,
    /// Each thread goes round by itself, so that the shares are exact on each of them.
    Cycle(Arc<[u16]>),
    /// All threads go through it together.
    Sequence(Arc<[RequestId]>),
}

impl Order {
    /// Each request as often as its weight says, in a shuffled order that is always the same. The weights have names,
    /// for errors.
    pub fn by_weight<'a>(weights: impl Iterator<Item = (&'a str, u32)>) -> Result<Self, Failure> {
        let weights: Vec<(&str, u32)> = weights.collect();
        let refused =
            |what: String| Failure::usage(what).hint("weights are proportions: 1 and 3 do as well as 1000 and 3000");
        if let Some((name, _)) = weights.iter().find(|(_, weight)| *weight == 0) {
            return Err(refused(format!("request `{name}`: its weight is 0, so it would never be sent")));
        }
        let divisor = weights.iter().fold(0, |divisor, (_, weight)| greatest_common_divisor(divisor, *weight)).max(1);
        let total: u64 = weights.iter().map(|(_, weight)| u64::from(weight / divisor)).sum();
        if total == 0 || total > MAX_CYCLE {
            return Err(refused(format!("the weights add up to {total}, not 1 to {MAX_CYCLE}")));
        }
        if weights.len() == 1 {
            return Ok(Self::Only);
        }
        // There are no more of them than the cycle is long, and 16 bits have a number for each.
        let repeated = |(number, (_, weight)): (usize, &(&str, u32))| {
            std::iter::repeat_n(number as u16, (weight / divisor) as usize)
        };
        let sorted: Vec<u16> = weights.iter().enumerate().flat_map(repeated).collect();
        Ok(Self::Cycle(Sequence::new(1).order_of(sorted.len()).into_iter().map(|place| sorted[place]).collect()))
    }

    /// Which of the requests is sent at this place.
    #[inline]
    pub fn at(&self, place: Place) -> RequestId {
        let at = |number: u64, length: usize| (number % length as u64) as usize;
        match self {
            Self::Only => 0,
            // Below the length.
            Self::Cycle(cycle) => RequestId::from(cycle[at(place.count, cycle.len())]),
            Self::Sequence(sequence) => sequence[at(place.number, sequence.len())],
        }
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{ClosedLoop, Schedule as _, Turns};

    fn by_weight(weights: &[u32]) -> Result<Order, Failure> {
        Order::by_weight(weights.iter().map(|&weight| ("GET /", weight)))
    }

    fn of_thread(order: &Order, thread: usize, threads: usize, requests: u64) -> Vec<RequestId> {
        let schedule = Turns::new(ClosedLoop::default(), thread, threads);
        (0..requests).map(|count| order.at(schedule.place(count))).collect()
    }

    #[test]
    fn shares_are_exact_on_every_thread_and_shuffled() {
        let order = by_weight(&[30, 10]).expect("valid");
        for threads in 1..=4 {
            let cycle = of_thread(&order, threads - 1, threads, 8);
            assert_eq!(cycle[..4].iter().filter(|&&number| number == 1).count(), 1);
            assert_eq!(cycle[..4], cycle[4..], "over and over");
        }
        let order = by_weight(&[500, 499]).expect("valid");
        assert!(of_thread(&order, 0, 1, 500).contains(&1), "shuffled");
    }

    #[test]
    fn threads_go_through_a_sequence_together() {
        let order = Order::Sequence([7, 8, 9, 7, 5].into());
        assert_eq!(of_thread(&order, 0, 1, 7), [7, 8, 9, 7, 5, 7, 8]);
        assert_eq!(of_thread(&order, 0, 2, 4), [7, 9, 5, 8]);
        assert_eq!(of_thread(&order, 1, 2, 4), [8, 7, 7, 9]);
    }

    #[test]
    fn weights_that_make_no_cycle() {
        for (weights, message) in [
            (vec![], "add up to 0"),
            (vec![0, 0], "`GET /`: its weight is 0"),
            (vec![3, 0], "its weight is 0"),
            (vec![65_536, 1], "add up to 65537"),
            (vec![1; 65_537], "add up to 65537"),
        ] {
            let failure = by_weight(&weights).expect_err("refused");
            assert!(failure.message.contains(message) && failure.hint.is_some(), "{failure}");
            assert_eq!(failure.exit_code(), 2);
        }
        assert!(by_weight(&vec![1; 65_536]).is_ok());
    }
}
