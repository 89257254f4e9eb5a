//! Makes a report of a pool: finds log directories, groups their replicas by topic, and counts one partition after the other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_pool::{CheckWatch, Error, InodeId, Pool, Result, Sample, Survey, SurveyedInode, VolumeId};

use crate::count::{Counter, EXTENTS_MAX, Group};
use crate::find::{Found, find, topic_id};
use crate::layout::{self, DirectoryName};
use crate::replica::{Contents, contents, sizes};
use crate::report::{Cluster, Figures, LogDirectory, Partition, Replica, Report, SHARED_USUAL, Topic};
use crate::rows::{Rows, Share};
use crate::sharing;

/// The maximum number of replicas in a report.
const REPLICAS_MAX: usize = 2_000_000;
/// The maximum number of cut names for which the topic's id is read.
const CUT_MAX: usize = 10_000;
/// A guess at the length of an extent, to choose samples.
pub(crate) const EXTENT_BYTES: u64 = 64 << 10;
/// All extents are counted if there are fewer in the pool.
const EXACT_EXTENTS_MAX: u64 = 4 << 20;
/// The length of chunks that are not cut early, to guess their number.
const CHUNK_BYTES: u64 = 128 << 10;
/// The chunks of a topic that a sample leaves at least: then a figure's standard deviation is 0.8 % at most.
const SAMPLED_MIN: u64 = 16 << 10;
/// For a second the scan works as fast as it can. Then it rests as long as it works, so that it takes half of one core at most.
const SPRINT: Duration = Duration::from_secs(1);
const STRETCH: Duration = Duration::from_millis(50);

/// How a scan works.
#[derive(Clone, Default)]
pub struct Options {
    /// Cancels the scan.
    pub watch: Arc<CheckWatch>,
    /// Looks at one chunk of 2 to the power of this, whatever the size of the pool and of a topic. For measurements.
    pub sample_bits: Option<u32>,
}

/// A replica's directory that was found.
struct Stub {
    /// The index of the log directory.
    directory: usize,
    raw: String,
    name: DirectoryName,
    inode: SurveyedInode,
    /// `partition.metadata`, if the name is cut.
    metadata: Option<SurveyedInode>,
}

/// Makes a report of everything in the pool.
pub async fn scan(pool: &Pool, options: Options) -> Result<Report> {
    let started = Instant::now();
    let survey = Arc::new(pool.survey(options.watch).await?);
    let mut finding = find(pool, &survey).await?;
    let found = Arc::new(std::mem::take(&mut finding.directories));
    let (listed, of) = (survey.clone(), found.clone());
    let mut stubs = blocking(move || list(&listed, &of)).await?;
    if stubs.len() == REPLICAS_MAX {
        finding
            .problems
            .push(format!("only {REPLICAS_MAX} replicas are shown; the others count as other files"));
    }
    name_cut(pool, &mut stubs).await;
    let bits =
        options.sample_bits.unwrap_or_else(|| bits_for(finding.bytes / EXTENT_BYTES, EXACT_EXTENTS_MAX));
    let sampled_min = if options.sample_bits.is_some() { 0 } else { SAMPLED_MIN };
    let mut report = blocking(move || Scan::new(&survey, &found, (bits, sampled_min)).run(stubs)).await?;
    finding.problems.into_iter().for_each(|problem| report.problem(problem));
    report.duration = started.elapsed();
    Ok(report)
}

pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Cancelled))
}

/// The bits of the largest sample that leaves at most `extents_max` of so many extents.
pub(crate) fn bits_for(extents: u64, extents_max: u64) -> u32 {
    let too_many = extents.div_ceil(extents_max.max(1)).max(1);
    (u64::BITS - (too_many - 1).leading_zeros()).min(Sample::BITS_MAX)
}

/// The replicas in all log directories.
fn list(survey: &Survey, found: &[Found]) -> Result<Vec<Stub>> {
    let mut stubs = Vec::new();
    for (directory, log) in found.iter().enumerate() {
        let Some(volume) = survey.volumes.get(log.volume) else { continue };
        survey.each_entry(volume, log.handle.inode, &mut |name, id| {
            let Some(parsed) = layout::replica(name).filter(|_| stubs.len() < REPLICAS_MAX) else {
                return Ok(());
            };
            let Some(inode) = survey.inode(volume, id)?.filter(|inode| inode.parent.is_some()) else {
                return Ok(());
            };
            let metadata = match parsed.is_cut {
                true => survey.find(volume, id, layout::PARTITION_METADATA)?,
                false => None,
            };
            let metadata = metadata.map(|id| survey.inode(volume, id)).transpose()?.flatten();
            let raw = String::from_utf8_lossy(name).into_owned();
            stubs.push(Stub { directory, raw, name: parsed, inode, metadata });
            Ok(())
        })?;
    }
    Ok(stubs)
}

/// Gives cut names that belong to one topic one name: the longest.
async fn name_cut(pool: &Pool, stubs: &mut [Stub]) {
    let mut names: HashMap<String, String> = HashMap::new();
    let mut ids = Vec::new();
    for (index, stub) in stubs.iter().enumerate().filter(|(_, stub)| stub.name.is_cut).take(CUT_MAX) {
        let Some(metadata) = &stub.metadata else { continue };
        let Some(id) = topic_id(pool, metadata).await else { continue };
        let longest = names.entry(id.clone()).or_default();
        if stub.name.topic.len() > longest.len() {
            longest.clone_from(&stub.name.topic);
        }
        ids.push((index, id));
    }
    for (index, id) in ids {
        if let (Some(stub), Some(name)) = (stubs.get_mut(index), names.get(&id)) {
            stub.name.topic.clone_from(name);
        }
    }
}

struct Scan<'a> {
    survey: &'a Survey,
    found: &'a [Found],
    /// The sample that is a part of all others.
    common: Sample,
    /// The chunks of a topic that its sample leaves at least.
    sampled_min: u64,
    rows: Rows,
    /// Files that were counted.
    seen: HashSet<(VolumeId, InodeId)>,
    started: Instant,
    rested: Instant,
}

/// Cluster key, then topic, then partition.
type Grouped = BTreeMap<String, BTreeMap<String, BTreeMap<u32, Vec<Stub>>>>;

impl<'a> Scan<'a> {
    fn new(survey: &'a Survey, found: &'a [Found], (bits, sampled_min): (u32, u64)) -> Scan<'a> {
        let (common, now) = (Sample::new(bits, 0), Instant::now());
        let (rows, seen) = (Rows::new(bits), HashSet::new());
        Scan { survey, found, common, sampled_min, rows, seen, started: now, rested: now }
    }

    fn run(mut self, stubs: Vec<Stub>) -> Result<Report> {
        let mut clusters: BTreeMap<String, Cluster> = BTreeMap::new();
        // The place of each log directory: its cluster, and its index there.
        let places = self.directories(&mut clusters);
        let mut grouped = Grouped::new();
        for stub in stubs {
            let Some((key, _)) = places.get(stub.directory) else { continue };
            let partitions =
                grouped.entry(key.clone()).or_default().entry(stub.name.topic.clone()).or_default();
            partitions.entry(stub.name.partition).or_default().push(stub);
        }
        for (key, topics) in grouped {
            let Some(cluster) = clusters.get_mut(&key) else { continue };
            for (name, partitions) in topics {
                let topic = self.topic(&places, partitions)?;
                cluster.topics.insert(name, topic);
            }
        }
        let (mut log_directories, mut others) = (Group::default(), [Group::default(); 3]);
        let sizes_of_log = self.log_directory_files(&mut log_directories)?;
        let sizes = self.other_files(&mut others)?;
        self.finish(clusters, (sizes_of_log, log_directories), (sizes, others))
    }

    fn directories(&self, clusters: &mut BTreeMap<String, Cluster>) -> Vec<(String, usize)> {
        let mut order: Vec<usize> = (0..self.found.len()).collect();
        order.sort_by_key(|index| self.found.get(*index).map(|found| (found.meta.node, found.path.clone())));
        let mut places = vec![(String::new(), 0); self.found.len()];
        for index in order {
            let Some(found) = self.found.get(index) else { continue };
            let Some(volume) = self.survey.volumes.get(found.volume) else { continue };
            let spec = &volume.volume.spec;
            let id = found.meta.cluster.clone().unwrap_or_default();
            let clone = volume.volume.clone_of.is_some().then(|| spec.name.clone());
            let shown = if id.is_empty() { "unknown" } else { &id };
            let key = clone.as_ref().map_or_else(|| shown.to_owned(), |clone| format!("{shown}@{clone}"));
            let cluster = clusters.entry(key.clone()).or_insert_with(|| Cluster {
                key: key.clone(),
                id,
                clone,
                ..Cluster::default()
            });
            if let Some(place) = places.get_mut(index) {
                *place = (key, cluster.log_directories.len());
            }
            cluster.log_directories.push(LogDirectory {
                volume: spec.name.clone(),
                path: found.path.clone(),
                node: found.meta.node,
                directory_id: found.meta.directory.clone(),
                handle: found.handle,
                lock: found.lock,
                is_clean: found.is_clean,
                last_change: found.last_change,
                replicas: 0,
                figures: Figures::default(),
            });
        }
        places
    }

    fn topic(&mut self, places: &[(String, usize)], partitions: BTreeMap<u32, Vec<Stub>>) -> Result<Topic> {
        let mut topic = Topic::default();
        let mut listed: Vec<(u32, Vec<(Stub, Contents)>)> = Vec::new();
        // Replicas share their chunks, so only the largest of a partition counts.
        let mut bytes = 0_u64;
        for (number, mut stubs) in partitions {
            stubs.sort_by_key(|stub| (places.get(stub.directory).map(|place| place.1), stub.name.state));
            let mut replicas = Vec::with_capacity(stubs.len());
            let mut largest = 0;
            for stub in stubs {
                let contents = self.contents(&stub)?;
                largest = contents.figures.bytes_in_files.max(largest);
                topic.is_cut |= stub.name.is_cut;
                replicas.push((stub, contents));
            }
            bytes = bytes.saturating_add(largest);
            listed.push((number, replicas));
        }
        topic.sample_bits =
            self.common.bits().min(bits_for(bytes / CHUNK_BYTES, self.sampled_min.saturating_mul(2)));
        let sample = Sample::new(topic.sample_bits, 0);
        let most = listed.iter().map(|(_, replicas)| extents_of(replicas)).max().unwrap_or_default();
        let inner = Sample::new(topic.sample_bits.max(bits_for(most, EXTENTS_MAX)), 0);
        let mut counter = Counter::new(self.survey, (sample, inner, self.common), true);
        let mut returned_inline = 0;
        for (number, replicas) in listed {
            for (group, (stub, contents)) in replicas.iter().enumerate() {
                let Some(volume) =
                    self.found.get(stub.directory).and_then(|found| self.survey.volumes.get(found.volume))
                else {
                    continue;
                };
                for (file, _) in &contents.files {
                    counter.file(volume, *file, group)?;
                }
                self.rest();
            }
            let groups = counter.end();
            returned_inline += groups.iter().map(|group| group.inline_returned).sum::<u64>();
            let partition = self.partition(places, replicas, &groups, (sample, inner));
            topic.partitions.insert(number, partition);
        }
        self.rows.common(counter.common_parts);
        topic.figures.bytes_exclusive = (counter.returned << inner.bits()).saturating_add(returned_inline);
        topic.figures.bytes_held = counter.held << inner.bits();
        Ok(topic)
    }

    fn contents(&mut self, stub: &Stub) -> Result<Contents> {
        let Some(found) = self.found.get(stub.directory) else { return Ok(Contents::default()) };
        let Some(volume) = self.survey.volumes.get(found.volume) else { return Ok(Contents::default()) };
        let (id, seen) = (volume.volume.id, &mut self.seen);
        contents(self.survey, volume, stub.inode.handle.inode, &mut |file| seen.insert((id, file)))
    }

    fn partition(
        &mut self,
        places: &[(String, usize)],
        replicas: Vec<(Stub, Contents)>,
        groups: &[Group],
        (sample, inner): (Sample, Sample),
    ) -> Partition {
        let is_compacted = replicas.iter().any(|(stub, _)| {
            let partition = (stub.name.topic.clone(), stub.name.partition);
            self.found.get(stub.directory).is_some_and(|found| found.compacted.contains(&partition))
        });
        let all: Vec<&Contents> = replicas.iter().map(|(_, contents)| contents).collect();
        let mut partition = Partition { is_compacted, replicas: Vec::with_capacity(replicas.len()) };
        for (index, (stub, contents)) in replicas.iter().enumerate() {
            let group = groups.get(index).copied().unwrap_or_default();
            let shared_permille =
                if all.len() > 1 { permille(group.shared_bytes, group.chunk_bytes) } else { None };
            let is_unusual = shared_permille.is_some_and(|shared| shared < SHARED_USUAL);
            self.rows.push(Share { parts: group.parts << sample.bits(), inline: group.inline });
            let partition_name = (stub.name.topic.clone(), stub.name.partition);
            let found = self.found.get(stub.directory);
            partition.replicas.push(Replica {
                directory: places.get(stub.directory).map(|place| place.1).unwrap_or_default(),
                state: stub.name.state,
                name: stub.raw.clone(),
                handle: stub.inode.handle,
                changed: stub.inode.ctime,
                figures: Figures {
                    bytes_exclusive: (group.alone << inner.bits()).saturating_add(group.inline_returned),
                    ..contents.figures
                },
                segments: contents.segments.len() as u64,
                offset_start: contents.segments.keys().next().copied().unwrap_or_default(),
                offset_last_segment: contents.segments.keys().next_back().copied().unwrap_or_default(),
                high_watermark: found.and_then(|found| found.high_watermarks.get(&partition_name).copied()),
                oldest: contents.segments.values().map(|segment| segment.mtime).min(),
                newest: contents.segments.values().map(|segment| segment.mtime).max(),
                bytes_per_day: contents.bytes_per_day(),
                shared_permille,
                reason: is_unusual.then(|| sharing::reason(is_compacted, &all, index)),
            });
        }
        partition
    }

    /// Counts the files of log directories beside their replicas.
    fn log_directory_files(&mut self, group: &mut Group) -> Result<Figures> {
        let mut figures = Figures::default();
        let mut counter =
            Counter::new(self.survey, (self.common, Sample::new(Sample::BITS_MAX, 0), self.common), false);
        for found in self.found {
            let Some(volume) = self.survey.volumes.get(found.volume) else { continue };
            let (id, seen) = (volume.volume.id, &mut self.seen);
            let contents =
                contents(self.survey, volume, found.handle.inode, &mut |file| seen.insert((id, file)))?;
            figures.add(&contents.figures);
            for (file, _) in contents.files {
                counter.file(volume, file, 0)?;
            }
        }
        *group = counter.end().first().copied().unwrap_or_default();
        self.rows.common(counter.common_parts);
        Ok(figures)
    }

    /// Counts all other files, objects, and files without a name.
    fn other_files(&mut self, groups: &mut [Group; 3]) -> Result<[Figures; 3]> {
        let mut figures = [Figures::default(); 3];
        let mut counter =
            Counter::new(self.survey, (self.common, Sample::new(Sample::BITS_MAX, 0), self.common), false);
        let mut attributes = [0_u64; 3];
        for volume in &self.survey.volumes {
            let orphans: HashSet<InodeId> = self.survey.orphans(volume)?.into_iter().collect();
            let own = usize::from(volume.is_bucket);
            if let Some(bytes) = attributes.get_mut(own) {
                *bytes += self.survey.bytes_of_attributes(volume)?;
            }
            let (seen, mut files) = (&self.seen, Vec::new());
            self.survey.each_inode(volume, &mut |inode| {
                if inode.is_file && !seen.contains(&(volume.volume.id, inode.handle.inode)) {
                    let row = if orphans.contains(&inode.handle.inode) { 2 } else { own };
                    if let Some(figures) = figures.get_mut(row) {
                        figures.add(&sizes(&inode));
                    }
                    // A file without an extent has nothing to count.
                    if inode.space_used > 0 {
                        files.push((inode.handle.inode, row));
                    }
                }
                Ok(())
            })?;
            for (file, row) in files {
                counter.file(volume, file, row)?;
                self.rest();
            }
        }
        for (group, counted) in groups.iter_mut().zip(counter.end()) {
            *group = counted;
        }
        for (group, bytes) in groups.iter_mut().zip(attributes) {
            group.inline += bytes;
        }
        self.rows.common(counter.common_parts);
        Ok(figures)
    }

    fn finish(
        mut self,
        clusters: BTreeMap<String, Cluster>,
        (mut log_directories, of_log): (Figures, Group),
        (mut others, groups): ([Figures; 3], [Group; 3]),
    ) -> Result<Report> {
        for group in [&of_log].into_iter().chain(&groups) {
            self.rows.push(Share { parts: group.parts << self.common.bits(), inline: group.inline });
        }
        let common_stored = self.survey.bytes_stored_in(self.common)?;
        let mut rounded = self.rows.round(self.survey.bytes_live, common_stored);
        let mut clusters: Vec<Cluster> = clusters.into_values().collect();
        let mut inline = 0_u64;
        let mut next = |figures: &mut Figures| {
            let (stored, of_inline) = rounded.bytes.next().unwrap_or_default();
            inline = inline.saturating_add(of_inline);
            figures.bytes_stored = stored.saturating_add(of_inline);
            figures.bytes_exclusive = figures.bytes_exclusive.min(figures.bytes_stored);
        };
        for cluster in &mut clusters {
            for topic in cluster.topics.values_mut() {
                let (exclusive, held) = (topic.figures.bytes_exclusive, topic.figures.bytes_held);
                let mut sum = Figures::default();
                for replica in topic.partitions.values_mut().flat_map(|partition| &mut partition.replicas) {
                    next(&mut replica.figures);
                    sum.add(&replica.figures);
                    if let Some(directory) = cluster.log_directories.get_mut(replica.directory) {
                        directory.figures.add(&replica.figures);
                        directory.replicas += 1;
                    }
                }
                let bytes_exclusive = exclusive.min(sum.bytes_stored);
                topic.figures = Figures { bytes_exclusive, bytes_held: held.min(sum.bytes_stored), ..sum };
            }
        }
        next(&mut log_directories);
        others.iter_mut().for_each(&mut next);
        let inline_rest = self.survey.bytes_inline.saturating_sub(inline);
        let [other_files, objects, deleted_files] = others;
        Ok(Report {
            taken: self.survey.taken,
            duration: Duration::ZERO,
            bytes_total: self.survey.bytes_live.saturating_add(self.survey.bytes_inline),
            sample_bits: self.common.bits(),
            clusters,
            log_directories,
            other_files,
            objects,
            deleted_files,
            bytes_snapshots: rounded.bytes_snapshots.saturating_add(inline_rest),
            problems: Vec::new(),
        })
    }

    fn rest(&mut self) {
        if self.started.elapsed() > SPRINT && self.rested.elapsed() > STRETCH {
            std::thread::sleep(STRETCH);
            self.rested = Instant::now();
        }
    }
}

fn extents_of(replicas: &[(Stub, Contents)]) -> u64 {
    replicas.iter().map(|(_, contents)| contents.figures.bytes_in_files / EXTENT_BYTES).sum()
}

pub(crate) fn permille(part: u64, whole: u64) -> Option<u32> {
    u32::try_from(u128::from(part) * 1000 / u128::from(whole).max(1)).ok().filter(|_| whole > 0)
}
