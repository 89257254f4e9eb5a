//! Loads such as a compiler's or an archiver's: they read, write and stat many small files, like Connectathon's general tests.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::folder::{ensure_content, names, pattern, write};
use super::{Case, CaseContext};

pub const CASES: &[Case] = &[
    Case { name: "build", run: build },
    Case { name: "build_in_parallel", run: build_in_parallel },
    Case { name: "archive_and_extract", run: archive_and_extract },
    Case { name: "stat_storm", run: stat_storm },
    Case { name: "shell_pipeline", run: shell_pipeline },
];

const SOURCES_PER_FOLDER: usize = 20;

fn sources(folder: &Path) -> Vec<PathBuf> {
    (0..SOURCES_PER_FOLDER).map(|index| folder.join(format!("source{index}.c"))).collect()
}

fn source_text(index: usize) -> Vec<u8> {
    pattern(index as u64, 300 + index * 997 % 6000)
}

/// Compiles a source as a compiler does: reads it and a header, writes a temporary file, and renames it to the object.
fn compile(header: &Path, source: &Path) -> Result<()> {
    let mut text = fs::read(header).with_context(|| format!("read {}", header.display()))?;
    text.extend(fs::read(source).with_context(|| format!("read {}", source.display()))?);
    let (temporary, object) = (source.with_extension("tmp"), source.with_extension("o"));
    text.reverse();
    write(&temporary, &text)?;
    fs::rename(&temporary, &object).with_context(|| format!("rename to {}", object.display()))
}

/// Compiles the sources that are newer than their objects, as make does. Returns their number.
fn make(folder: &Path) -> Result<usize> {
    let mut compiled = 0;
    for source in sources(folder) {
        let changed =
            fs::metadata(&source).with_context(|| format!("stat {}", source.display()))?.modified()?;
        let object = fs::metadata(source.with_extension("o")).ok();
        let is_new = match object {
            Some(object) => object.modified()? < changed,
            None => true,
        };
        if is_new {
            compile(&folder.join("header.h"), &source)?;
            compiled += 1;
        }
    }
    Ok(compiled)
}

fn write_sources(folder: &Path) -> Result<()> {
    fs::create_dir(folder).with_context(|| format!("make {}", folder.display()))?;
    write(&folder.join("header.h"), b"#pragma once\n")?;
    sources(folder).iter().enumerate().try_for_each(|(index, path)| write(path, source_text(index)))
}

fn build_folder(folder: &Path) -> Result<()> {
    write_sources(folder)?;
    let first = make(folder)?;
    ensure!(first == SOURCES_PER_FOLDER, "{first} of {SOURCES_PER_FOLDER} sources were compiled");
    let again = make(folder)?;
    ensure!(again == 0, "{again} objects are older than their sources");
    // Longer than the resolution of any timestamp, so that the source is newer than the object.
    std::thread::sleep(std::time::Duration::from_millis(20));
    write(&folder.join("source3.c"), b"changed")?;
    let changed = make(folder)?;
    ensure!(changed == 1, "{changed} sources were compiled after one changed");
    let expected: Vec<u8> = b"#pragma once\nchanged".iter().rev().copied().collect();
    ensure_content(&folder.join("source3.o"), &expected)
}

fn build(context: &CaseContext) -> Result<()> {
    (0..context.size(2, 20)).try_for_each(|index| build_folder(&context.path(&format!("module{index}"))))
}

fn build_in_parallel(context: &CaseContext) -> Result<()> {
    std::thread::scope(|scope| {
        let builds: Vec<_> = (0..context.size(4, 8))
            .map(|index| scope.spawn(move || build_folder(&context.path(&format!("module{index}")))))
            .collect();
        for build in builds {
            build.join().unwrap_or_else(|_| anyhow::bail!("a builder panicked"))?;
        }
        Ok(())
    })
}

/// Packs all files of a tree into one file, one after the other, and unpacks them as another tree.
fn archive_and_extract(context: &CaseContext) -> Result<()> {
    let [tree, archive, copy] = ["tree", "archive", "copy"].map(|name| context.path(name));
    fs::create_dir(&tree)?;
    let folders = context.size(3, 20);
    for index in 0..folders {
        write_sources(&tree.join(format!("folder{index}")))?;
    }
    let mut out = std::io::BufWriter::new(File::create(&archive)?);
    for folder in names(&tree)? {
        for name in names(&tree.join(&folder))? {
            let content = fs::read(tree.join(&folder).join(&name))?;
            writeln!(out, "{folder} {name} {}", content.len())?;
            out.write_all(&content)?;
        }
    }
    out.into_inner().context("write the archive")?.sync_all()?;
    extract(&archive, &copy)?;
    for folder in names(&tree)? {
        ensure!(names(&tree.join(&folder))? == names(&copy.join(&folder))?, "{folder} has other files");
        for name in names(&tree.join(&folder))? {
            ensure_content(&copy.join(&folder).join(&name), &fs::read(tree.join(&folder).join(&name))?)?;
        }
    }
    Ok(())
}

fn extract(archive: &Path, to: &Path) -> Result<()> {
    use std::io::BufRead;
    let mut input = std::io::BufReader::new(File::open(archive)?);
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let words: Vec<_> = line.split_whitespace().collect();
        let [folder, name, length] = words.as_slice() else {
            anyhow::bail!("the archive has a line {line:?}")
        };
        let mut content = vec![0; length.parse()?];
        input.read_exact(&mut content)?;
        fs::create_dir_all(to.join(folder))?;
        write(&to.join(folder).join(name), &content)?;
        line.clear();
    }
    Ok(())
}

/// Repeatedly calls stat on many files, while a few of them change.
fn stat_storm(context: &CaseContext) -> Result<()> {
    let files: Vec<_> =
        (0..context.size(50, 500)).map(|index| context.path(&format!("file{index}"))).collect();
    for (index, path) in files.iter().enumerate() {
        write(path, vec![b'x'; index])?;
    }
    for round in 0..context.size(5, 50) {
        let grown = round % files.len();
        let path = files.get(grown).context("no such file")?;
        File::options().append(true).open(path)?.write_all(b"y")?;
        for (index, path) in files.iter().enumerate() {
            let expected = index + usize::from(index <= round);
            let found = fs::metadata(path)?.len();
            ensure!(
                found == expected as u64,
                "{} has {found} bytes and must have {expected}",
                path.display()
            );
        }
    }
    Ok(())
}

/// Runs the system's usual programs.
fn shell_pipeline(context: &CaseContext) -> Result<()> {
    const SCRIPT: &str = "set -e
mkdir -p a/b c
for i in 1 2 3 4 5 6 7 8 9; do seq $i 2000 > a/b/file$i; done
tar -cf all.tar a
tar -xf all.tar -C c
cmp a/b/file9 c/a/b/file9
cat a/b/* | sort -n | uniq -c | sort -rn > sorted
test \"$(wc -l < sorted)\" = 2000
find a -name 'file*' -newer a/b/file1 > newer
cp -rp a copy
diff -r a copy
ln -s a/b/file1 link
test \"$(head -n 1 link)\" = 1
mv copy moved
du -s moved > /dev/null
ls -lR . > listing
grep -c file listing > /dev/null
rm -r a c moved
test -f all.tar";
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", SCRIPT]).current_dir(&context.folder).output().context("start sh")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the script ended with {}: {}", output.status, said.trim());
    Ok(())
}
