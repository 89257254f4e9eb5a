//! A stretch of a file, mapped into memory: what is written there becomes the file's, by the kernel's page faults.
//!
//! The one place of the project that needs `unsafe`: the compiler cannot know whether another process changes a mapped file. This is solved
//! by copying: no reference into the map is ever made, bytes are copied in and out of it, and a program that maps a file is the
//! only one that changes its length meanwhile (a page beyond the end would end it with SIGBUS).

#![expect(unsafe_code, reason = "memory maps have no safe interface; see the module's documentation")]

use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

/// A shared map of some pages of a file. Unmapped when dropped.
#[derive(Debug)]
pub struct Mapped {
    /// First byte of the map.
    start: *mut std::ffi::c_void,
    /// Bytes in the map, all of them in pages that the file has.
    length: usize,
}

impl Mapped {
    /// Maps `length` bytes of the file from `offset`, which is a multiple of the page's size. All of it must be in the file,
    /// whose position is moved.
    pub fn new(mut file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let end = offset.checked_add(length as u64).ok_or(io::ErrorKind::InvalidInput)?;
        // Not stat, for which an NFS client first sends all that is dirty.
        if file.seek(SeekFrom::End(0))? < end {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the map would go beyond the file's end",
            ));
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a null address lets the kernel choose where, so that nothing of this program is replaced.
        let start =
            unsafe { mmap(std::ptr::null_mut(), length, protection, MapFlags::SHARED, file, offset) }?;
        Ok(Self { start, length })
    }

    /// Copies bytes out, from `at` bytes into the map.
    pub fn read(&self, at: usize, bytes: &mut [u8]) -> io::Result<()> {
        let source = self.checked(at, bytes.len())?;
        // SAFETY: `checked` made sure that the source is inside the map, which lives as long as `self`; a slice of this program's
        // own never overlaps with it.
        unsafe { std::ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies bytes in, at `at` bytes into the map.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        let target = self.checked(at, bytes.len())?;
        // SAFETY: as in `read`; the map was made to be written.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        Ok(())
    }

    /// Writes the changes back, and waits for that (`MS_SYNC`).
    pub fn sync(&self) -> io::Result<()> {
        // SAFETY: the range is the map itself.
        unsafe { msync(self.start, self.length, MsyncFlags::SYNC) }?;
        Ok(())
    }

    fn checked(&self, at: usize, length: usize) -> io::Result<*mut u8> {
        let fits = at.checked_add(length).is_some_and(|end| end <= self.length);
        if !fits {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "outside of the map"));
        }
        Ok(self.start.cast::<u8>().wrapping_add(at))
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the map is this value's own, and nothing refers to it: bytes were only ever copied.
        let _ = unsafe { munmap(self.start, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str, content: &[u8]) -> (std::path::PathBuf, File) {
        let path = std::env::temp_dir().join(format!("forebay-lab-mapped-{name}-{}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        (path, file)
    }

    #[test]
    fn what_is_written_to_the_map_is_in_the_file() {
        let (path, file) = scratch("write", &[1; 5000]);
        let mut map = Mapped::new(&file, 4096, 904).unwrap();
        map.write(4, &[7, 8]).unwrap();
        map.sync().unwrap();
        let mut back = [0; 8];
        map.read(0, &mut back).unwrap();
        drop(map);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(back, [1, 1, 1, 1, 7, 8, 1, 1]);
        assert_eq!((bytes.len(), &bytes[4096..4104]), (5000, back.as_slice()));
    }

    #[test]
    fn what_is_outside_of_the_file_or_the_map_is_refused() {
        let (path, file) = scratch("outside", &[1; 100]);
        assert!(Mapped::new(&file, 0, 101).is_err());
        let map = Mapped::new(&file, 0, 100).unwrap();
        assert!(map.read(99, &mut [0; 2]).is_err());
        assert!(map.read(usize::MAX, &mut [0; 2]).is_err());
        drop(map);
        std::fs::remove_file(path).unwrap();
    }
}
