//! The master key, and secrets that are sealed with it.
//!
//! A secret must be known to check a signature, so it is stored encrypted, with a key in a file outside the pool: whoever gets the
//! pool's disks, or a backup of them, gets no secrets. A sealed secret is a random nonce (24 bytes) and the output of
//! XChaCha20-Poly1305. The access key's id is authenticated with it, so a sealed secret is of no use under another id.

use std::fmt::{self, Debug, Formatter};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use s3s::auth::SecretKey;

use super::error::{Error, Result};

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const READ_BYTES_MAX: u64 = KEY_BYTES as u64 + 1;

/// The key that seals secrets. It is erased from memory when it is dropped.
pub struct MasterKey(XChaCha20Poly1305);

impl MasterKey {
    /// Reads the master key from its file, or creates it. If the file is missing and `secrets_exist`, it is not created: a new key would
    /// open none of the sealed secrets. See [`super::users::has_secrets`].
    pub fn load_or_create(path: &Path, secrets_exist: bool) -> Result<MasterKey> {
        match File::open(path) {
            Ok(file) => MasterKey::read(path, file),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(unusable(path, &error)),
            Err(_) if secrets_exist => Err(Error::MasterKeyMissing(path.to_owned())),
            Err(_) => MasterKey::create(path),
        }
    }

    fn read(path: &Path, file: File) -> Result<MasterKey> {
        let metadata = file.metadata().map_err(|error| unusable(path, &error))?;
        if !metadata.is_file() {
            return Err(Error::MasterKeyUnusable(path.to_owned(), "is not a regular file".to_owned()));
        }
        let mode = metadata.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(Error::MasterKeyExposed(path.to_owned(), mode));
        }
        let mut bytes = Vec::with_capacity(KEY_BYTES + 1);
        file.take(READ_BYTES_MAX).read_to_end(&mut bytes).map_err(|error| unusable(path, &error))?;
        let bytes: [u8; KEY_BYTES] =
            bytes.try_into().map_err(|_| Error::MasterKeyWrongLength(path.to_owned()))?;
        Ok(MasterKey::from(bytes))
    }

    /// The file appears under its name only when it is whole and durable.
    fn create(path: &Path) -> Result<MasterKey> {
        let mut bytes = [0; KEY_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomness(error.to_string()))?;
        let mut name = path.as_os_str().to_owned();
        name.push(".new");
        let new = Path::new(&name);
        let write = || {
            match fs::remove_file(new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(new)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(new, path)?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
        };
        write().map_err(|error| unusable(path, &error))?;
        Ok(MasterKey::from(bytes))
    }

    /// Seals the secret of an access key.
    pub fn seal(&self, key_id: &str, secret: &SecretKey) -> Result<Vec<u8>> {
        let mut sealed = vec![0; NONCE_BYTES];
        getrandom::fill(&mut sealed).map_err(|error| Error::NoRandomness(error.to_string()))?;
        let nonce = XNonce::try_from(sealed.as_slice()).map_err(|_| Error::NotSealed)?;
        let payload = Payload { msg: secret.expose().as_bytes(), aad: key_id.as_bytes() };
        sealed.extend(self.0.encrypt(&nonce, payload).map_err(|_| Error::NotSealed)?);
        Ok(sealed)
    }

    /// Opens the sealed secret of an access key. `None` if it was sealed with another master key or for another id, or was changed.
    pub fn open(&self, key_id: &str, sealed: &[u8]) -> Option<SecretKey> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
        let nonce = XNonce::try_from(nonce).ok()?;
        let secret = self.0.decrypt(&nonce, Payload { msg: sealed, aad: key_id.as_bytes() }).ok()?;
        String::from_utf8(secret).ok().map(SecretKey::from)
    }
}

impl From<[u8; KEY_BYTES]> for MasterKey {
    fn from(bytes: [u8; KEY_BYTES]) -> MasterKey {
        MasterKey(XChaCha20Poly1305::new(&Key::from(bytes)))
    }
}

impl Debug for MasterKey {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MasterKey").finish_non_exhaustive()
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::MasterKeyUnusable(path.to_owned(), error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn secret() -> SecretKey {
        SecretKey::from("a secret of forty characters, more or less")
    }

    #[test]
    fn a_created_key_is_read_back_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s3.key");
        fs::write(folder.path().join("s3.key.new"), "left by a crash").unwrap();
        let sealed = MasterKey::load_or_create(&path, false).unwrap().seal("AKIA1", &secret()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let again = MasterKey::load_or_create(&path, true).unwrap();
        assert_eq!(again.open("AKIA1", &sealed).unwrap().expose(), secret().expose());
        assert_eq!(format!("{again:?}"), "MasterKey { .. }");
    }

    #[test]
    fn a_file_that_is_missing_exposed_or_of_the_wrong_length_is_refused_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s3.key");
        let error = |secrets_exist| MasterKey::load_or_create(&path, secrets_exist).unwrap_err().to_string();
        let missing = error(true);
        assert!(missing.contains(path.to_str().unwrap()) && missing.contains("restore"), "{missing}");
        assert!(!path.exists());
        MasterKey::load_or_create(&path, false).unwrap();
        for mode in [0o640, 0o604, 0o610, 0o666] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert!(error(false).contains(&format!("chmod 600 {}", path.display())));
        }
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        for bytes in [0, 31, 33, 1000] {
            fs::write(&path, vec![7; bytes]).unwrap();
            assert!(error(false).contains("exactly 32 bytes"));
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(error(false).contains("not a regular file"));
    }

    #[test]
    fn a_sealed_secret_opens_with_its_key_and_id_only() {
        let (one, other) = (MasterKey::from([1; 32]), MasterKey::from([2; 32]));
        let mut sealed = one.seal("AKIA1", &secret()).unwrap();
        assert_ne!(sealed, one.seal("AKIA1", &secret()).unwrap());
        assert!(one.open("AKIA1", &sealed).is_some());
        assert!(one.open("AKIA2", &sealed).is_none() && other.open("AKIA1", &sealed).is_none());
        assert!(one.open("AKIA1", &[]).is_none() && one.open("AKIA1", &sealed[..30]).is_none());
        sealed[40] ^= 1;
        assert!(one.open("AKIA1", &sealed).is_none());
    }
}
