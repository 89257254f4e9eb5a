//! Offsets and sizes that programs and servers often handle incorrectly: beyond 4 GiB, at the largest offset, below zero, in holes.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};

use anyhow::{Context, Result, ensure};
use rustix::io::Errno;

use super::folder::{forget, must_fail, pattern};
use super::{Case, CaseContext};

pub const CASES: &[Case] = &[
    Case { name: "beyond_four_gigabytes", run: beyond_four_gigabytes },
    Case { name: "negative_offsets", run: negative_offsets },
    Case { name: "greatest_offset", run: greatest_offset },
    Case { name: "holes_are_zeros", run: holes_are_zeros },
    Case { name: "reading_at_the_end", run: reading_at_the_end },
    Case { name: "small_unaligned_writes", run: small_unaligned_writes },
    Case { name: "truncated_up_and_down", run: truncated_up_and_down },
    Case { name: "writers_in_parallel", run: writers_in_parallel },
];

fn new_file(context: &CaseContext, name: &str) -> Result<File> {
    let file = File::options().read(true).write(true).create_new(true).open(context.path(name));
    file.with_context(|| format!("create {name}"))
}

fn beyond_four_gigabytes(context: &CaseContext) -> Result<()> {
    let file = new_file(context, "large")?;
    let bytes = pattern(1, 100_000);
    let offsets = [(1u64 << 31) - 50_000, (1 << 32) - 50_000, (1 << 33) + 1, (1 << 40) + 4095];
    for offset in offsets {
        file.write_all_at(&bytes, offset).with_context(|| format!("write at {offset}"))?;
    }
    forget(&file)?;
    let mut found = vec![0; bytes.len()];
    for offset in offsets {
        file.read_exact_at(&mut found, offset).with_context(|| format!("read at {offset}"))?;
        ensure!(found == bytes, "the bytes at {offset} are others");
    }
    let length = (1u64 << 40) + 4095 + bytes.len() as u64;
    ensure!(file.metadata()?.len() == length, "the length is {}", file.metadata()?.len());
    let taken = file.metadata()?.blocks().saturating_mul(512);
    ensure!(taken < 1 << 30, "holes take space: {taken} bytes for some hundred thousand");
    Ok(())
}

fn negative_offsets(context: &CaseContext) -> Result<()> {
    let mut file = new_file(context, "file")?;
    file.write_all(b"content")?;
    must_fail("a seek to before the start", file.seek(SeekFrom::Current(-8)), &[Errno::INVAL])?;
    must_fail("a seek to before the start", file.seek(SeekFrom::End(-8)), &[Errno::INVAL])?;
    ensure!(file.stream_position()? == 7, "a refused seek moved the offset");
    let mut one = [0];
    must_fail("a read at a negative offset", file.read_at(&mut one, u64::MAX), &[Errno::INVAL])?;
    must_fail("a write at a negative offset", file.write_at(&one, u64::MAX), &[Errno::INVAL])?;
    ensure!(file.metadata()?.len() == 7, "a refused write changed the length");
    Ok(())
}

/// A write at the largest offset must write there or be refused. It must never write at another offset.
fn greatest_offset(context: &CaseContext) -> Result<()> {
    let file = new_file(context, "file")?;
    let last = i64::MAX.unsigned_abs() - 8;
    match file.write_at(b"12345678", last) {
        Ok(written) => {
            ensure!(written == 8, "{written} of 8 bytes were written");
            match file.sync_all() {
                Ok(()) => {
                    forget(&file)?;
                    let mut found = [0; 8];
                    file.read_exact_at(&mut found, last)?;
                    ensure!(&found == b"12345678", "the bytes are {found:?}");
                }
                refused => must_fail("fsync", refused, &[Errno::FBIG, Errno::INVAL, Errno::NOSPC])?,
            }
        }
        refused => must_fail("a write at the greatest offset", refused, &[Errno::FBIG, Errno::INVAL])?,
    }
    must_fail("a write beyond it", file.write_at(b"x", last + 8), &[Errno::FBIG, Errno::INVAL])
}

fn holes_are_zeros(context: &CaseContext) -> Result<()> {
    const GAP: usize = 100_000;
    let file = new_file(context, "sparse")?;
    let bytes = pattern(2, 5000);
    let pieces = context.size(10, 100);
    for index in 0..pieces {
        file.write_all_at(&bytes, (index * GAP + index) as u64)?;
    }
    forget(&file)?;
    for index in 0..pieces {
        let start = index * GAP + index;
        let mut found = vec![1; GAP + 1];
        let count = file.read_at(&mut found, start as u64)?;
        let piece = found.get(..bytes.len()).unwrap_or_default();
        ensure!(piece == bytes, "piece {index} is not what was written");
        let rest = found.get(bytes.len()..count).unwrap_or_default();
        ensure!(rest.iter().all(|byte| *byte == 0), "the hole after piece {index} is not all zeros");
    }
    Ok(())
}

fn reading_at_the_end(context: &CaseContext) -> Result<()> {
    let mut file = new_file(context, "file")?;
    file.write_all(&pattern(3, 10_001))?;
    forget(&file)?;
    let mut buffer = [0; 100];
    ensure!(file.read_at(&mut buffer, 10_000)? == 1, "a read across the end gives another count");
    ensure!(file.read_at(&mut buffer, 10_001)? == 0, "a read at the end gives bytes");
    ensure!(file.read_at(&mut buffer, 1 << 45)? == 0, "a read far beyond the end gives bytes");
    Ok(())
}

fn small_unaligned_writes(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
    let expected = pattern(4, context.size(20_000, 200_000));
    let mut rest = expected.as_slice();
    let mut length = 1;
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(length.min(rest.len()));
        file.write_all(piece)?;
        rest = left;
        length = length % 37 + 1;
    }
    forget(&file)?;
    file.rewind()?;
    let mut found = Vec::new();
    file.read_to_end(&mut found)?;
    ensure!(found == expected, "many small writes do not add up to the file");
    Ok(())
}

/// A range that was cut off must read as zeros when the file grows again, wherever the file was cut.
fn truncated_up_and_down(context: &CaseContext) -> Result<()> {
    let file = new_file(context, "file")?;
    for (round, cut) in [1usize, 4095, 4096, 4097, 65_535, 70_000].into_iter().enumerate() {
        let bytes = pattern(round as u64, 100_000);
        file.write_all_at(&bytes, 0)?;
        if round % 2 == 0 {
            file.sync_all()?;
        }
        file.set_len(cut as u64)?;
        file.set_len(100_000)?;
        forget(&file)?;
        let mut found = vec![1; 100_000];
        file.read_exact_at(&mut found, 0)?;
        let (kept, grown) = found.split_at(cut);
        ensure!(bytes.starts_with(kept), "what was kept below {cut} is wrong");
        ensure!(grown.iter().all(|byte| *byte == 0), "what was cut off at {cut} came back");
    }
    let refused = rustix::fs::ftruncate(&file, u64::MAX).map_err(Into::into);
    must_fail("a length above the greatest", refused, &[Errno::INVAL, Errno::FBIG])
}

/// Each thread writes its own ranges, which share pages with those of other threads.
fn writers_in_parallel(context: &CaseContext) -> Result<()> {
    const WRITERS: usize = 8;
    const PIECE: usize = 1000;
    let path = context.path("file");
    let rounds = context.size(20, 200);
    File::create_new(&path)?;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let path = &path;
                scope.spawn(move || -> Result<()> {
                    let file = File::options().write(true).open(path)?;
                    for round in 0..rounds {
                        let offset = (round * WRITERS + writer) * PIECE;
                        file.write_all_at(&pattern(offset as u64, PIECE), offset as u64)?;
                    }
                    Ok(())
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap_or_else(|_| anyhow::bail!("a writer panicked"))?;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    forget(&File::open(&path)?)?;
    let found = fs::read(&path)?;
    ensure!(found.len() == rounds * WRITERS * PIECE, "the file has {} bytes", found.len());
    for (index, piece) in found.chunks(PIECE).enumerate() {
        ensure!(piece == pattern((index * PIECE) as u64, PIECE), "piece {index} is not what was written");
    }
    Ok(())
}
