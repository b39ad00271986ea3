//! The figures: medians of rounds, ratios of medians, as a table and as one line of JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::case::Case;
use crate::load::Sample;

/// One server in one case. Times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) calls_per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) cpu_per_call: f64,
    pub(crate) postgres_cpu_per_call: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    #[serde(flatten)]
    pub(crate) case: Case,
    pub(crate) gateway: Figures,
    /// The same statements, and nothing beside them.
    pub(crate) floor: Figures,
    /// The same bytes, and nothing beside them.
    pub(crate) constant: Figures,
    pub(crate) throughput_vs_floor: f64,
    pub(crate) p99_vs_floor: f64,
    pub(crate) cpu_vs_floor: f64,
}

/// The gateway among connections that begin requests and do not finish them.
#[derive(Debug, Serialize)]
pub(crate) struct Slow {
    connections: usize,
    alone: Figures,
    among: Figures,
    p99_under_slow_heads: f64,
}

/// Over all cases, the median.
#[derive(Debug, Serialize)]
pub(crate) struct Ratios {
    pub(crate) throughput_vs_floor: f64,
    pub(crate) p99_vs_floor: f64,
    pub(crate) worst_throughput_vs_floor: f64,
    pub(crate) worst_p99_vs_floor: f64,
    pub(crate) cpu_vs_floor: f64,
    pub(crate) p99_under_slow_heads: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) ratios: Ratios,
    /// Resident memory of each server at the end, in bytes.
    pub(crate) memory: BTreeMap<&'static str, u64>,
    pub(crate) rounds: usize,
    pub(crate) cases: Vec<Measured>,
    pub(crate) slow: Slow,
}

impl Figures {
    /// Of one round; `own` and `postgres` are the processor time that it took.
    pub(crate) fn of(sample: &Sample, own: Duration, postgres: Duration) -> Self {
        let calls = as_float(sample.calls);
        Self {
            calls_per_second: calls / sample.elapsed.as_secs_f64(),
            p50: percentile(&sample.latencies, 50),
            p99: percentile(&sample.latencies, 99),
            cpu_per_call: own.as_secs_f64() * 1e6 / calls,
            postgres_cpu_per_call: postgres.as_secs_f64() * 1e6 / calls,
        }
    }

    /// Each figure by itself.
    pub(crate) fn median(rounds: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| median(rounds.iter().map(figure).collect());
        Self {
            calls_per_second: of(|it| it.calls_per_second),
            p50: of(|it| it.p50),
            p99: of(|it| it.p99),
            cpu_per_call: of(|it| it.cpu_per_call),
            postgres_cpu_per_call: of(|it| it.postgres_cpu_per_call),
        }
    }

    fn cpu(&self) -> f64 {
        self.cpu_per_call + self.postgres_cpu_per_call
    }
}

/// What each of the three did in each round.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) gateway: Vec<Figures>,
    pub(crate) floor: Vec<Figures>,
    pub(crate) constant: Vec<Figures>,
}

impl Measured {
    pub(crate) fn new(case: Case, rounds: &Rounds) -> Self {
        let ratio = |figure| paired(&rounds.gateway, &rounds.floor, figure);
        Self {
            case,
            gateway: Figures::median(&rounds.gateway),
            floor: Figures::median(&rounds.floor),
            constant: Figures::median(&rounds.constant),
            throughput_vs_floor: ratio(|it| it.calls_per_second),
            p99_vs_floor: ratio(|it| it.p99),
            cpu_vs_floor: ratio(Figures::cpu),
        }
    }
}

impl Slow {
    pub(crate) fn new(connections: usize, alone: &[Figures], among: &[Figures]) -> Self {
        Self {
            connections,
            alone: Figures::median(alone),
            among: Figures::median(among),
            p99_under_slow_heads: paired(among, alone, |it| it.p99),
        }
    }
}

impl Ratios {
    pub(crate) fn of(cases: &[Measured], slow: &Slow) -> Self {
        let all = |ratio: fn(&Measured) -> f64| cases.iter().map(ratio).collect::<Vec<_>>();
        let throughput = all(|it| it.throughput_vs_floor);
        let p99 = all(|it| it.p99_vs_floor);
        Self {
            worst_throughput_vs_floor: throughput.iter().copied().fold(f64::INFINITY, f64::min),
            worst_p99_vs_floor: p99.iter().copied().fold(0.0, f64::max),
            throughput_vs_floor: median(throughput),
            p99_vs_floor: median(p99),
            cpu_vs_floor: median(all(|it| it.cpu_vs_floor)),
            p99_under_slow_heads: slow.p99_under_slow_heads,
        }
    }
}

impl Report {
    #[expect(clippy::print_stdout, reason = "this is a command line")]
    pub(crate) fn print(&self) {
        println!(
            "{:<28}{:>10}{:>10}{:>9}   {:>8}{:>8}   {:>8}{:>8}   {:>7}{:>7}",
            "case",
            "gateway/s",
            "floor/s",
            "bare/s",
            "p99 µs",
            "floor",
            "cpu µs",
            "floor",
            "calls",
            "p99"
        );
        for it in &self.cases {
            let Case { reference, roster, era } = it.case;
            let name = format!("{reference:?} of {roster}, {era:?}");
            println!(
                "{name:<28}{:>10.0}{:>10.0}{:>9.0}   {:>8.0}{:>8.0}   {:>8.0}{:>8.0}   {:>7.2}{:>7.2}",
                it.gateway.calls_per_second,
                it.floor.calls_per_second,
                it.constant.calls_per_second,
                it.gateway.p99,
                it.floor.p99,
                it.gateway.cpu(),
                it.floor.cpu(),
                it.throughput_vs_floor,
                it.p99_vs_floor,
            );
        }
        let Ratios { throughput_vs_floor, p99_vs_floor, cpu_vs_floor, .. } = self.ratios;
        println!(
            "\nmedian of the cases: {throughput_vs_floor:.2} of the floor's calls, {p99_vs_floor:.2} \
             of its p99, {cpu_vs_floor:.2} of its processor time, Postgres's included"
        );
        println!(
            "among {} connections that do not finish a head: {:.2} of the p99 without them",
            self.slow.connections, self.slow.p99_under_slow_heads
        );
        for (server, bytes) in &self.memory {
            println!("{server}: {} MiB resident", bytes / (1024 * 1024));
        }
    }

    #[expect(clippy::print_stdout, reason = "this is a command line")]
    pub(crate) fn print_json(&self) -> serde_json::Result<()> {
        println!("{}", serde_json::to_string(self)?);
        Ok(())
    }
}

/// The median of the rounds' own ratios: what a busy moment does to both is in none.
fn paired(over: &[Figures], under: &[Figures], figure: fn(&Figures) -> f64) -> f64 {
    let pairs = over.iter().zip(under);
    median(pairs.map(|(over, under)| figure(over) / figure(under)).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a count of calls is small")]
const fn as_float(count: usize) -> f64 {
    count as f64
}

/// Of sorted values; the nearest rank.
fn percentile(sorted: &[u32], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().map_or(0.0, f64::from)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::case::{Era, Reference};

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let hundred: Vec<u32> = (1..=100).collect();
        for (values, percent, expected) in [
            (&hundred[..], 50, 50.0),
            (&hundred, 99, 99.0),
            (&hundred, 100, 100.0),
            (&[7], 99, 7.0),
            (&[1, 2, 3], 50, 2.0),
            (&[], 50, 0.0),
        ] {
            assert!((percentile(values, percent) - expected).abs() < 1e-9, "{percent}");
        }
    }

    #[test]
    fn a_median_is_the_middle_whatever_the_order() {
        for (values, expected) in
            [(vec![3.0, 1.0, 2.0], 2.0), (vec![4.0, 1.0, 3.0, 2.0], 2.5), (vec![9.0], 9.0)]
        {
            assert!((median(values) - expected).abs() < 1e-9);
        }
    }

    const CASE: Case = Case { reference: Reference::Id, roster: 3, era: Era::Handshake };

    const fn figures(calls_per_second: f64, p99: f64) -> Figures {
        let (p50, cpu_per_call, postgres_cpu_per_call) = (1.0, 1.0, 1.0);
        Figures { calls_per_second, p50, p99, cpu_per_call, postgres_cpu_per_call }
    }

    fn measured((calls, p99): (f64, f64)) -> Measured {
        let rounds = Rounds {
            gateway: vec![figures(calls, p99)],
            floor: vec![figures(10.0, 2.0)],
            constant: vec![figures(100.0, 1.0)],
        };
        Measured::new(CASE, &rounds)
    }

    fn slow() -> Slow {
        Slow::new(2_000, &[figures(10.0, 2.0)], &[figures(9.0, 3.0)])
    }

    #[test]
    fn a_ratio_is_the_median_of_the_rounds_own() {
        let of = |calls: [f64; 3]| calls.map(|it| figures(it, 1.0)).to_vec();
        let rounds = Rounds {
            // The second was a busy moment, for both.
            gateway: of([80.0, 8.0, 90.0]),
            floor: of([100.0, 10.0, 100.0]),
            constant: Vec::new(),
        };
        let ratio = Measured::new(CASE, &rounds).throughput_vs_floor;
        assert!((ratio - 0.8).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn the_ratios_are_the_gateways_over_the_floors() {
        let ratios = Ratios::of(&[(8.0, 3.0), (6.0, 2.0), (9.0, 4.0)].map(measured), &slow());
        let expected = json!({
            "throughput_vs_floor": 0.8,
            "p99_vs_floor": 1.5,
            "worst_throughput_vs_floor": 0.6,
            "worst_p99_vs_floor": 2.0,
            "cpu_vs_floor": 1.0,
            "p99_under_slow_heads": 1.5,
        });
        assert_eq!(serde_json::to_value(ratios).unwrap(), expected);
    }

    #[test]
    fn a_report_has_the_ratios_and_the_figures_behind_them() {
        let cases = vec![measured((8.0, 3.0))];
        let memory = BTreeMap::from([("gateway", 1024)]);
        let slow = slow();
        let report = Report { ratios: Ratios::of(&cases, &slow), memory, rounds: 5, cases, slow };
        let server = |calls, p99| {
            json!({
                "calls_per_second": calls,
                "p50": 1.0,
                "p99": p99,
                "cpu_per_call": 1.0,
                "postgres_cpu_per_call": 1.0,
            })
        };
        let expected = json!({
            "ratios": {
                "throughput_vs_floor": 0.8,
                "p99_vs_floor": 1.5,
                "worst_throughput_vs_floor": 0.8,
                "worst_p99_vs_floor": 1.5,
                "cpu_vs_floor": 1.0,
                "p99_under_slow_heads": 1.5,
            },
            "memory": { "gateway": 1024 },
            "rounds": 5,
            "cases": [{
                "reference": "id",
                "roster": 3,
                "era": "handshake",
                "gateway": server(8.0, 3.0),
                "floor": server(10.0, 2.0),
                "constant": server(100.0, 1.0),
                "throughput_vs_floor": 0.8,
                "p99_vs_floor": 1.5,
                "cpu_vs_floor": 1.0,
            }],
            "slow": {
                "connections": 2000,
                "alone": server(10.0, 2.0),
                "among": server(9.0, 3.0),
                "p99_under_slow_heads": 1.5,
            },
        });
        assert_eq!(serde_json::to_value(report).unwrap(), expected);
    }
}
