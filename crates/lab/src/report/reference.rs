//! Figures of the technical reports, to compare with those of the lab's experiments.
//!
//! The reports are NetApp's TR-4947, *Apache Kafka with NFS storage*, and TR-4941, *Confluent with ONTAP S3*. They used far larger
//! machines than the lab usually has, so their megabytes per second, minutes and percentages cannot be compared with those of a run.
//! Ratios can be compared: of two storages on the same machines, or of two loads on one storage. So each entry here is a ratio of two of
//! a report's figures. It names these figures, and the figures of a run that form the same ratio. TR-4941 tests tiered storage, for which
//! the lab has no experiment, so no entry is from TR-4941.

use super::figure_table::FigureTable;

/// The storage that the reports call local: a disk of each broker's own.
pub const LOCAL: &str = "local";

/// A ratio that the reports measured.
#[derive(Debug, Clone, Copy)]
pub struct Reported {
    /// The experiment that repeats it.
    pub experiment: &'static str,
    /// A description of the ratio.
    pub what: &'static str,
    /// The ratio.
    pub value: f64,
    /// The report, and the two figures as it gives them.
    pub source: &'static str,
    /// The same ratio in a run.
    pub here: Here,
    /// The drawing of curves that shows the ratio as a reference line, if there is one.
    pub drawing: Option<&'static str>,
}

/// A ratio of a run's figures.
#[derive(Debug, Clone, Copy)]
pub enum Here {
    /// A figure that is itself a ratio.
    Value(Pick),
    /// Shared storage divided by local disks.
    SharedByLocal(Pick),
    /// Local disks divided by shared storage.
    LocalByShared(Pick),
    /// One figure divided by another one of the same storage, for these storages.
    Within(Pick, Pick, On),
}

/// The storages to which [`Here::Within`] applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// All.
    Any,
    /// Local disks only.
    Local,
    /// All but local disks.
    Shared,
}

/// A row of the table of figures.
#[derive(Debug, Clone, Copy)]
pub enum Pick {
    /// The row with this name.
    Named(&'static str),
    /// Of the rows whose names are this prefix and a number, the one with the lowest number.
    Lowest(&'static str),
    /// Of the rows whose names are this prefix and a number, the one with the highest number.
    Highest(&'static str),
}

const CPU: &str = "broker_cpu_percent_at_";
const REPLACEMENT: &str = "replacement_s_at_";

/// Every ratio, in the order of the reports.
pub const ALL: &[Reported] = &[
    Reported {
        experiment: "cpu",
        what: "Brokers' CPU at the lowest rate of messages: shared storage ÷ local disks",
        value: 26.0 / 31.0,
        source: "TR-4947: 26 % ÷ 31 % at 10,000 messages/s",
        here: Here::SharedByLocal(Pick::Lowest(CPU)),
        drawing: Some("cpu_by_rate"),
    },
    Reported {
        experiment: "cpu",
        what: "Brokers' CPU at the highest rate of messages: shared storage ÷ local disks",
        value: 38.0 / 70.0,
        source: "TR-4947: 38 % ÷ 70 % at 100,000 messages/s",
        here: Here::SharedByLocal(Pick::Highest(CPU)),
        drawing: Some("cpu_by_rate"),
    },
    Reported {
        experiment: "cpu",
        what: "Brokers' CPU on shared storage: highest rate ÷ lowest rate",
        value: 38.0 / 26.0,
        source: "TR-4947: 38 % ÷ 26 %, for ten times as many messages",
        here: Here::Within(Pick::Highest(CPU), Pick::Lowest(CPU), On::Shared),
        drawing: None,
    },
    Reported {
        experiment: "cpu",
        what: "Brokers' CPU on local disks: highest rate ÷ lowest rate",
        value: 70.0 / 31.0,
        source: "TR-4947: 70 % ÷ 31 %, for ten times as many messages",
        here: Here::Within(Pick::Highest(CPU), Pick::Lowest(CPU), On::Local),
        drawing: None,
    },
    Reported {
        experiment: "broker-replacement",
        what: "Time to replace a broker with the least data: local disks ÷ shared storage",
        value: 10.0 / 3.0,
        source: "TR-4947: 10 min ÷ 3 min with 110 GB",
        here: Here::LocalByShared(Pick::Lowest(REPLACEMENT)),
        drawing: Some("replacement_by_size"),
    },
    Reported {
        experiment: "broker-replacement",
        what: "Time to replace a broker with the most data: local disks ÷ shared storage",
        value: 48.0 / 5.0,
        source: "TR-4947: 48 min ÷ less than 5 min with 1.1 TB, so at least this",
        here: Here::LocalByShared(Pick::Highest(REPLACEMENT)),
        drawing: Some("replacement_by_size"),
    },
    Reported {
        experiment: "broker-replacement",
        what: "Time to replace a broker on local disks: most data ÷ least data",
        value: 48.0 / 10.0,
        source: "TR-4947: 48 min ÷ 10 min, for ten times the data",
        here: Here::Within(Pick::Highest(REPLACEMENT), Pick::Lowest(REPLACEMENT), On::Local),
        drawing: None,
    },
    Reported {
        experiment: "efficiency",
        what: "The reports' payload, logical ÷ physical",
        value: 1.70,
        source: "TR-4947: 420.3 GB ÷ 281.7 GB at the storage, given as 1.70 : 1",
        here: Here::Value(Pick::Named("pooled_ratio")),
        drawing: None,
    },
    Reported {
        experiment: "throughput",
        what: "Throughput driver, factor 3, produced and consumed: shared storage ÷ local disks",
        value: 1412.0 / 1340.0,
        source: "TR-4947: 1412 MB/s (HA pair, peak) ÷ 1340 MB/s; a single node's peak: 1660, ratio 1.24; FSx: 1218, 0.91",
        here: Here::SharedByLocal(Pick::Named("throughput_factor_3_mb_per_s")),
        drawing: None,
    },
    Reported {
        experiment: "throughput",
        what: "Sync driver, factor 3, produced and consumed: shared storage ÷ local disks",
        value: 1236.0 / 1263.0,
        source: "TR-4947: 1236 MB/s (HA pair) ÷ 1263 MB/s; a single node: 1962, ratio 1.55; FSx: 1252, 0.99",
        here: Here::SharedByLocal(Pick::Named("sync_factor_3_mb_per_s")),
        drawing: None,
    },
    Reported {
        experiment: "throughput",
        what: "Throughput driver on shared storage: factor 1 ÷ factor 3",
        value: 3679.0 / 1218.0,
        source: "TR-4947: 3679 MB/s ÷ 1218 MB/s on FSx with 4 GB/s",
        here: Here::Within(
            Pick::Named("throughput_factor_1_mb_per_s"),
            Pick::Named("throughput_factor_3_mb_per_s"),
            On::Shared,
        ),
        drawing: None,
    },
    Reported {
        experiment: "throughput",
        what: "Local disks, factor 3: sync driver ÷ throughput driver",
        value: 1263.0 / 1340.0,
        source: "TR-4947: 1263 MB/s ÷ 1340 MB/s",
        here: Here::Within(
            Pick::Named("sync_factor_3_mb_per_s"),
            Pick::Named("throughput_factor_3_mb_per_s"),
            On::Local,
        ),
        drawing: None,
    },
    Reported {
        experiment: "scaling",
        what: "Throughput at the highest storage limit ÷ at the lowest",
        value: 1218.0 / 881.0,
        source: "TR-4947: 1218 MB/s ÷ 881 MB/s on FSx with 4 GB/s ÷ 2 GB/s, factor 3; by peaks 1328 ÷ 881, 1.51",
        here: Here::Within(
            Pick::Highest("produced_mb_per_s_at_"),
            Pick::Lowest("produced_mb_per_s_at_"),
            On::Shared,
        ),
        drawing: None,
    },
    Reported {
        experiment: "backlog",
        what: "Consumed while draining ÷ produced while building",
        value: 20.0 / 4.03,
        source: "TR-4947: over 20 GB/s ÷ 4.03 GB/s (peak), 8 brokers on an AFF A900",
        here: Here::Within(Pick::Named("drain_mb_per_s"), Pick::Named("build_mb_per_s"), On::Any),
        drawing: None,
    },
];

/// The ratios of an experiment.
pub fn of(experiment: &str) -> impl Iterator<Item = &'static Reported> {
    ALL.iter().filter(move |reported| reported.experiment == experiment)
}

impl Here {
    /// The ratio in each column that has the necessary figures, with the column's name.
    pub fn find(&self, sheet: &FigureTable) -> Vec<(String, f64)> {
        let local = sheet.columns.iter().position(|column| is_local(column));
        let ratio = |column: usize| match self {
            Self::Value(pick) => pick.median(sheet, column),
            Self::Within(top, bottom, on) => {
                let wanted = *on == On::Any || (*on == On::Local) == (is_local(sheet.columns.get(column)?));
                if !wanted {
                    return None;
                }
                Some(top.median(sheet, column)? / bottom.median(sheet, column)?)
            }
            Self::SharedByLocal(pick) => {
                let local =
                    local.filter(|_| !is_local(sheet.columns.get(column).map_or("", String::as_str)))?;
                Some(pick.median(sheet, column)? / pick.median(sheet, local)?)
            }
            Self::LocalByShared(pick) => {
                let local =
                    local.filter(|_| !is_local(sheet.columns.get(column).map_or("", String::as_str)))?;
                Some(pick.median(sheet, local)? / pick.median(sheet, column)?)
            }
        };
        let columns = sheet.columns.iter().enumerate();
        let found = columns.filter_map(|(index, column)| Some((column.clone(), ratio(index)?)));
        found.filter(|(_, ratio)| ratio.is_finite()).collect()
    }
}

/// Whether a column is of local disks. Its name may end with the time of the run.
pub fn is_local(column: &str) -> bool {
    column == LOCAL || column.strip_prefix(LOCAL).is_some_and(|rest| rest.starts_with(" ("))
}

impl Pick {
    fn median(&self, sheet: &FigureTable, column: usize) -> Option<f64> {
        let measured =
            |row: &&super::figure_table::Row| row.cells.get(column).is_some_and(|cell| cell.is_some());
        let numbered = |prefix: &str| {
            let mut rows: Vec<_> = sheet
                .rows
                .iter()
                .filter(measured)
                .filter_map(|row| Some((row.name.strip_prefix(prefix)?.parse::<f64>().ok()?, row)))
                .collect();
            rows.sort_by(|one, other| one.0.total_cmp(&other.0));
            rows
        };
        let row = match self {
            Self::Named(name) => sheet.rows.iter().filter(measured).find(|row| row.name == *name)?,
            Self::Lowest(prefix) => numbered(prefix).first()?.1,
            Self::Highest(prefix) => numbered(prefix).last()?.1,
        };
        row.cells.get(column).copied().flatten().map(|cell| cell.median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::figure_table::named;
    use crate::report::{Better, Measurement, Recorder};

    fn cpu_sheet(storages: &[(&str, &[(u32, f64)])]) -> FigureTable {
        let recorder = Recorder::new(Progress::silent());
        for rate in [1000, 4000, 10_000] {
            let values = storages.iter().map(|(storage, values)| {
                let at = values.iter().filter(|(at, _)| *at == rate).map(|(_, value)| *value);
                ((*storage).to_owned(), at.collect())
            });
            let name = format!("broker_cpu_percent_at_{rate}");
            recorder.measurement(Measurement::new(&name, "CPU", "%", Better::Lower, values.collect()));
        }
        let storage = storages.iter().map(|(storage, _)| *storage).collect::<Vec<_>>().join(",");
        let run = recorder.finish("cpu", &storage, "laptop", "");
        FigureTable::of(&named(&[&run]))
    }

    fn found(sheet: &FigureTable) -> Vec<Vec<(String, f64)>> {
        of("cpu").map(|reported| reported.here.find(sheet)).collect()
    }

    #[test]
    fn the_reports_ratios_are_found_at_the_ends_of_the_rates() {
        let sheet = cpu_sheet(&[
            ("forebay", &[(1000, 10.0), (4000, 20.0), (10_000, 30.0)]),
            ("local", &[(1000, 20.0), (4000, 30.0), (10_000, 50.0)]),
        ]);
        let one = |storage: &str, ratio| vec![(storage.to_owned(), ratio)];
        assert_eq!(
            found(&sheet),
            [one("forebay", 0.5), one("forebay", 0.6), one("forebay", 3.0), one("local", 2.5)]
        );
    }

    #[test]
    fn without_local_disks_nothing_is_compared_with_them() {
        let sheet = cpu_sheet(&[("forebay", &[(1000, 10.0)]), ("knfsd-v4", &[(1000, 0.0)])]);
        let [low, high, shared, local] = found(&sheet).try_into().unwrap();
        assert!(low.is_empty() && high.is_empty() && local.is_empty());
        assert_eq!(shared, [("forebay".to_owned(), 1.0)], "nothing over nothing is no ratio");
    }

    #[test]
    fn local_disks_are_known_also_when_they_are_there_twice() {
        assert!(is_local("local") && is_local("local (2026-01-01 10:00:00)"));
        assert!(!is_local("localhost") && !is_local("mount:/local"));
    }
}
