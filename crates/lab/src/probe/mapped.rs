//! A range of a file, mapped into memory. A write to the mapping changes the file through the kernel's page cache.
//!
//! This is the only place in the project that needs `unsafe`: the compiler cannot know whether another process changes a mapped file. So no
//! reference into the mapping is ever made; bytes are only copied in and out. A program that maps a file must be the only one that
//! changes its length at that time, because an access beyond the end of the file would kill the program with SIGBUS.

#![expect(unsafe_code, reason = "memory maps have no safe interface; see the module's documentation")]

use std::fs::File;
use std::io::{self, Seek, SeekFrom};

use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};

/// A shared mapping of some pages of a file. Unmapped when dropped.
#[derive(Debug)]
pub struct Mapped {
    /// The first byte of the mapping.
    start: *mut std::ffi::c_void,
    /// The number of bytes in the mapping. All of them are in pages of the file.
    length: usize,
}

impl Mapped {
    /// Maps `length` bytes of the file from `offset`, which must be a multiple of the page size. The whole range must be in the
    /// file. Changes the file's position.
    pub fn new(mut file: &File, offset: u64, length: usize) -> io::Result<Self> {
        let end = offset.checked_add(length as u64).ok_or(io::ErrorKind::InvalidInput)?;
        // Not with stat, before which an NFS client writes back all dirty data.
        if file.seek(SeekFrom::End(0))? < end {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the map would go beyond the file's end",
            ));
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: with a null address the kernel chooses a free range, so the mapping replaces no memory of this program.
        let start =
            unsafe { mmap(std::ptr::null_mut(), length, protection, MapFlags::SHARED, file, offset) }?;
        Ok(Self { start, length })
    }

    /// Copies bytes out of the mapping, from offset `at` in it.
    pub fn read(&self, at: usize, bytes: &mut [u8]) -> io::Result<()> {
        let source = self.checked(at, bytes.len())?;
        // SAFETY: `checked` ensures that the source is inside the mapping, which lives as long as `self`. The target is other memory
        // of this program, so it never overlaps with the mapping.
        unsafe { std::ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// Copies bytes into the mapping, at offset `at` in it.
    pub fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        let target = self.checked(at, bytes.len())?;
        // SAFETY: as in `read`; the mapping is writable.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        Ok(())
    }

    /// Writes the changes back, and waits until that is done (`MS_SYNC`).
    pub fn sync(&self) -> io::Result<()> {
        // SAFETY: the range is the mapping itself.
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
        // SAFETY: only this value owns the mapping, and nothing refers to it, because bytes are only copied.
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
