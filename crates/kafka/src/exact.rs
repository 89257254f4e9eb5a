//! Exact figures of one topic, in as many passes as memory needs.

use std::sync::Arc;

use forebay_pool::{CheckWatch, InodeId, Pool, Result, Sample, Survey};

use crate::count::{Counter, EXTENTS_MAX, Group, PART_BITS};
use crate::replica::contents;
use crate::report::{Figures, Topic};
use crate::scan::{EXTENT_BYTES, bits_for, blocking, permille};

/// The topic with figures of this instant for which all chunks were counted.
pub async fn exact(pool: &Pool, topic: &Topic, watch: Arc<CheckWatch>) -> Result<Topic> {
    let survey = pool.survey(watch).await?;
    let topic = topic.clone();
    blocking(move || count(&survey, topic)).await
}

/// The files of each replica, with the index of its volume.
type Files = Vec<Vec<(usize, Vec<InodeId>)>>;

fn count(survey: &Survey, mut topic: Topic) -> Result<Topic> {
    let (mut files, mut most) = (Files::new(), 0_u64);
    for partition in topic.partitions.values_mut() {
        let mut of_partition = Vec::new();
        let mut bytes = 0_u64;
        for replica in &mut partition.replicas {
            let volume = survey.volumes.iter().position(|seen| seen.volume.id == replica.handle.volume);
            let Some((index, volume)) = volume.and_then(|index| Some((index, survey.volumes.get(index)?)))
            else {
                of_partition.push((0, Vec::new()));
                continue;
            };
            let found = contents(survey, volume, replica.handle.inode, &mut |_| true)?;
            bytes = bytes.saturating_add(found.figures.bytes_in_files);
            replica.figures = found.figures;
            of_partition.push((index, found.files.into_iter().map(|(file, _)| file).collect()));
        }
        most = most.max(bytes);
        files.push(of_partition);
    }
    let bits = bits_for(most / EXTENT_BYTES, EXTENTS_MAX);
    let mut groups: Vec<Vec<Group>> =
        files.iter().map(|partition| vec![Group::default(); partition.len()]).collect();
    let (mut returned, mut held) = (0, 0);
    for start in 0..1 << bits {
        let sample = Sample::new(bits, start);
        let mut counter = Counter::new(survey, (sample, sample, Sample::new(Sample::BITS_MAX, 0)), true);
        for (partition, sums) in files.iter().zip(&mut groups) {
            for (group, (volume, files)) in partition.iter().enumerate() {
                let Some(volume) = survey.volumes.get(*volume) else { continue };
                for file in files {
                    counter.file(volume, *file, group)?;
                }
            }
            for (sum, counted) in sums.iter_mut().zip(counter.end()) {
                // Bytes in the metadata store are in no sample: every pass sees them.
                let inline = (counted.inline, counted.inline_returned);
                sum.parts += counted.parts;
                sum.alone += counted.alone;
                sum.chunk_bytes += counted.chunk_bytes;
                sum.shared_bytes += counted.shared_bytes;
                (sum.inline, sum.inline_returned) = inline;
            }
        }
        returned += counter.returned;
        held += counter.held;
    }
    let mut sum = Figures::default();
    let (mut running, mut given) = (0_u128, 0_u64);
    for (partition, groups) in topic.partitions.values_mut().zip(&groups) {
        let has_others = partition.replicas.len() > 1;
        for (replica, group) in partition.replicas.iter_mut().zip(groups) {
            running += group.parts;
            let upto = u64::try_from((running + (1 << (PART_BITS - 1))) >> PART_BITS).unwrap_or(u64::MAX);
            replica.figures.bytes_stored = (upto - given).saturating_add(group.inline);
            replica.figures.bytes_exclusive = group.alone.saturating_add(group.inline_returned);
            replica.shared_permille = permille(group.shared_bytes, group.chunk_bytes).filter(|_| has_others);
            given = upto;
            sum.add(&replica.figures);
            returned += group.inline_returned;
        }
    }
    topic.figures = Figures { bytes_exclusive: returned, bytes_held: held, ..sum };
    topic.sample_bits = 0;
    Ok(topic)
}
