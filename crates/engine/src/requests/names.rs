//! Which requests of an arm have accounts of their own, and what they are called. Pure.

use crate::recorder::{AccountId, MAX_ACCOUNTS};
use std::collections::HashMap;

/// The names of the accounts, and the account of each request. One request alone has none: its account is the whole.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    pub names: Vec<String>,
    pub of_requests: Vec<AccountId>,
}

impl Accounts {
    /// The accounts of requests that are sent in these proportions. If there are too many, those that are sent most often
    /// have accounts of their own, and the others share one. Requests of the same name are told apart by a number.
    pub fn of(weights: &[u32], name_of: impl Fn(usize) -> String) -> Self {
        if weights.len() == 1 {
            return Self { names: Vec::new(), of_requests: vec![0] };
        }
        let own = if weights.len() <= MAX_ACCOUNTS { weights.len() } else { MAX_ACCOUNTS - 1 };
        let mut by_share: Vec<usize> = (0..weights.len()).collect();
        // Stable: of equal shares, those that come first.
        by_share.sort_by_key(|&request| std::cmp::Reverse(weights[request]));
        by_share.truncate(own);
        by_share.sort_unstable();
        let mut accounts = Self { names: Vec::new(), of_requests: Vec::new() };
        let mut used: HashMap<String, u32> = HashMap::new();
        for &request in &by_share {
            let name = name_of(request);
            let times = used.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
            accounts.names.push(if *times == 1 { name } else { format!("{name} ({times})") });
        }
        // Their own number is below MAX_ACCOUNTS; that of the others is the next one.
        accounts.of_requests = vec![own as AccountId; weights.len()];
        for (&request, account) in by_share.iter().zip(0..) {
            accounts.of_requests[request] = account;
        }
        if own < weights.len() {
            accounts.names.push(format!("{} others", weights.len() - own));
        }
        accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(requests: &[(&str, u32)]) -> Accounts {
        let weights: Vec<u32> = requests.iter().map(|(_, weight)| *weight).collect();
        Accounts::of(&weights, |request| requests[request].0.to_owned())
    }

    #[test]
    fn one_request_alone_has_no_account_of_its_own() {
        assert_eq!(of(&[("GET /", 1)]), Accounts { names: Vec::new(), of_requests: vec![0] });
    }

    #[test]
    fn a_few_requests_have_one_each() {
        let accounts = of(&[("GET /", 1), ("PUT /", 3), ("GET /", 2)]);
        assert_eq!(accounts.names, ["GET /", "PUT /", "GET / (2)"]);
        assert_eq!(accounts.of_requests, [0, 1, 2]);
    }

    #[test]
    fn of_many_requests_the_most_frequent_have_one_each_and_the_others_share_one() {
        let mut weights = vec![1; 100];
        weights[70] = 9;
        let accounts = Accounts::of(&weights, |request| format!("GET /{request}"));
        assert_eq!(accounts.names.len(), MAX_ACCOUNTS);
        assert_eq!(accounts.names[MAX_ACCOUNTS - 2..], ["GET /70", "69 others"]);
        assert_eq!(accounts.of_requests[70], (MAX_ACCOUNTS - 2) as AccountId);
        assert_eq!((accounts.of_requests[0], accounts.of_requests[30], accounts.of_requests[99]), (0, 31, 31));
    }
}
