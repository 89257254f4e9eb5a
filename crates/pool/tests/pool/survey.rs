//! A survey shows the names, the files and the extents of one instant, and its samples divide all chunks.

use std::collections::HashSet;
use std::sync::Arc;

use forebay_pool::*;

use crate::common::*;

async fn survey(pool: &Pool) -> Survey {
    pool.survey(Arc::default()).await.unwrap()
}

/// All extents of a file.
fn extents(survey: &Survey, volume: &SurveyedVolume, file: InodeId) -> Vec<SurveyedExtent> {
    let mut found = Vec::new();
    let visit = &mut |extent| {
        found.push(extent);
        Ok(())
    };
    survey.each_extent(volume, file, visit).unwrap();
    found
}

async fn committed(pool: &Pool, directory: Handle, name: &str, bytes: &[u8]) -> Handle {
    let file = file(pool, directory, name).await;
    write(pool, file, 0, bytes).await;
    pool.commit(file, 0, 0).await.unwrap();
    file
}

#[tokio::test]
async fn the_samples_of_a_survey_divide_everything_that_is_stored() {
    let (pool, root) = memory().await;
    for number in 0..40 {
        committed(&pool, root, &format!("file-{number}"), &pattern(number, 300_000)).await;
    }
    let survey = survey(&pool).await;
    let stored = pool.stored().unwrap();
    assert_eq!((survey.bytes_live, survey.bytes_inline), (stored.bytes_live, stored.bytes_inline));
    for bits in [0, 1, 3] {
        let samples = (0..1 << bits).map(|start| Sample::new(bits, start));
        let parts: Vec<u64> = samples.map(|sample| survey.bytes_stored_in(sample).unwrap()).collect();
        assert_eq!(parts.iter().sum::<u64>(), survey.bytes_live, "{parts:?}");
        assert!(parts.iter().all(|part| *part > 0), "{parts:?}");
    }
    let sample = Sample::new(2, 3);
    let volume = &survey.volumes[0];
    let mut bytes = 0;
    for number in 0..40 {
        let file = survey.find(volume, root.inode, format!("file-{number}").as_bytes()).unwrap().unwrap();
        let chunks = extents(&survey, volume, file).into_iter().filter_map(|extent| extent.chunk);
        let distinct: HashSet<_> = chunks.filter(|chunk| sample.has(*chunk)).collect();
        bytes += distinct
            .into_iter()
            .map(|chunk| u64::from(survey.stored(chunk).unwrap().unwrap().bytes_stored))
            .sum::<u64>();
    }
    assert_eq!(bytes, survey.bytes_stored_in(sample).unwrap());
}

#[tokio::test]
async fn a_survey_tells_what_a_snapshot_keeps_and_what_a_clone_only_shows() {
    let (pool, root) = memory().await;
    let log = directory(&pool, root, "log").await;
    let kept = committed(&pool, log, "kept", &pattern(1, 200_000)).await;
    pool.snapshot_create(&["kafka".into()], "nightly").await.unwrap();
    let young = committed(&pool, log, "young", &pattern(2, 200_000)).await;
    let clone = CloneSpec { name: "copy".into(), junction_path: "/copy".into() };
    pool.volume_clone("kafka", "nightly", clone).await.unwrap();

    let survey = survey(&pool).await;
    let of = |name: &str| survey.volumes.iter().find(|seen| seen.volume.spec.name == name).unwrap();
    let (kafka, copy) = (of("kafka"), of("copy"));
    let pinned = |volume, file: Handle| {
        extents(&survey, volume, file.inode).iter().all(|one| one.is_own && one.is_pinned)
    };
    assert!(pinned(kafka, kept) && !pinned(kafka, young));
    assert!(extents(&survey, copy, kept.inode).iter().all(|one| !one.is_own && one.is_pinned));
    assert_eq!(extents(&survey, kafka, kept.inode).len(), extents(&survey, copy, kept.inode).len());
    assert!(extents(&survey, copy, young.inode).is_empty());

    let mut names = Vec::new();
    let visit = &mut |name: &[u8], inode| {
        names.push((String::from_utf8(name.to_vec()).unwrap(), inode));
        Ok(())
    };
    survey.each_entry(kafka, log.inode, visit).unwrap();
    names.sort();
    assert_eq!(names, [("kept".to_owned(), kept.inode), ("young".to_owned(), young.inode)]);
    let mut directories = Vec::new();
    let visit = &mut |inode: SurveyedInode| {
        directories.extend(inode.parent.map(|parent| (inode.handle, parent)));
        Ok(())
    };
    survey.each_inode(kafka, visit).unwrap();
    assert_eq!(directories, [(root, root.inode), (log, root.inode)]);
}

#[tokio::test]
async fn a_cancelled_survey_ends() {
    let (pool, root) = memory().await;
    committed(&pool, root, "file", &pattern(1, 100_000)).await;
    let watch = Arc::new(CheckWatch::default());
    let survey = pool.survey(watch.clone()).await.unwrap();
    watch.cancel();
    let found = survey.each_inode(&survey.volumes[0], &mut |_| Ok(()));
    assert!(matches!(found, Err(Error::Cancelled)));
}
