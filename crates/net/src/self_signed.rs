//! A certificate that the daemon makes for itself, for operators who have no certificate authority.
//!
//! Whoever connects compares the certificate's fingerprint, which the daemon prints, or trusts the file. The key and the certificate are two
//! files in one directory. What must hold: a key is never replaced, and a certificate only when it ends soon and has that key, so that
//! files which the operator put there stay; the key is readable by the daemon's user only; and after a crash at any moment the next
//! start has a pair that fits.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rcgen::{
    CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, PublicKeyData, SanType,
    SerialNumber,
};
use x509_cert::der::{Decode, Encode};

use crate::tls::{TlsError, TlsFiles, certificates, content, expiry};

/// How long a certificate is valid. Some browsers accept no longer one.
const VALID: Duration = days(820);
/// A certificate that ends within this time is renewed, long before the alert for it.
const RENEWED: Duration = days(60);
/// Clocks may differ by as much.
const BEFORE: Duration = days(1);
/// Bytes of a serial number. RFC 5280 allows 20.
const SERIAL_BYTES: usize = 16;

const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 24 * 60 * 60)
}

/// The two files, and the names that the certificate is made for.
#[derive(Clone, Debug)]
pub struct SelfSigned {
    certificate: PathBuf,
    key: PathBuf,
    names: Vec<String>,
    addresses: Vec<IpAddr>,
}

impl SelfSigned {
    /// The files `NAME.pem` and `NAME.key` in a directory.
    pub fn new(directory: &Path, name: &str, names: Vec<String>, addresses: Vec<IpAddr>) -> SelfSigned {
        SelfSigned {
            certificate: directory.join(format!("{name}.pem")),
            key: directory.join(format!("{name}.key")),
            names,
            addresses,
        }
    }

    /// The files, as [`Tls`](crate::tls::Tls) reads them.
    pub fn files(&self) -> TlsFiles {
        TlsFiles { certificate: self.certificate.clone(), key: self.key.clone(), client_authorities: None }
    }

    /// Makes what is missing, and renews the certificate if it ends soon. Returns whether the certificate is new.
    pub fn ensure(&self, now: SystemTime) -> Result<bool, TlsError> {
        let existing = if self.certificate.exists() { Some(certificates(&self.certificate)?) } else { None };
        let key = match (self.read_key()?, &existing) {
            (Some(key), _) => key,
            (None, None) => self.make_key()?,
            (None, Some(_)) => {
                let problem = format!(
                    "is missing, but its certificate {} is there; put the key back, or delete the certificate to have both made again",
                    self.certificate.display()
                );
                return Err(content(&self.key, problem));
            }
        };
        if let Some(chain) = existing {
            let ends_soon =
                expiry(&chain).is_some_and(|end| end.duration_since(now).unwrap_or_default() < RENEWED);
            if !ends_soon || !chain.first().is_some_and(|own| is_own(own, &key)) {
                return Ok(false);
            }
        }
        let made = self.certificate_for(&key, now)?;
        // The folder is made durable by the rename of a file in it at the latest; until then both are simply made again.
        self.write(&self.certificate, made.as_bytes())?;
        Ok(true)
    }

    fn read_key(&self) -> Result<Option<KeyPair>, TlsError> {
        match std::fs::read_to_string(&self.key) {
            Ok(text) => KeyPair::from_pem(&text).map(Some).map_err(|error| {
                content(&self.key, format!("is no private key that can be used: {error}; delete it and its certificate to have both made again"))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(TlsError::Read { file: self.key.clone(), source }),
        }
    }

    fn make_key(&self) -> Result<KeyPair, TlsError> {
        let key = KeyPair::generate().map_err(|error| self.not_made(&error))?;
        self.write(&self.key, key.serialize_pem().as_bytes())?;
        Ok(key)
    }

    fn certificate_for(&self, key: &KeyPair, now: SystemTime) -> Result<String, TlsError> {
        let mut params = CertificateParams::default();
        let common = self.names.first().map_or("forebay", String::as_str);
        params.distinguished_name.push(DnType::OrganizationName, "Forebay, self-signed");
        params.distinguished_name.push(DnType::CommonName, common);
        for name in &self.names {
            let name = name.as_str().try_into().map_err(|error| self.not_made(&error))?;
            params.subject_alt_names.push(SanType::DnsName(name));
        }
        params.subject_alt_names.extend(self.addresses.iter().copied().map(SanType::IpAddress));
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // Browsers refuse two certificates of one issuer that have the same number.
        let mut serial = [0; SERIAL_BYTES];
        getrandom::fill(&mut serial)
            .map_err(|error| content(&self.certificate, format!("cannot be made: {error}")))?;
        serial[0] = (serial[0] & 0x3f) | 0x40;
        params.serial_number = Some(SerialNumber::from(serial.to_vec()));
        params.not_before = (now - BEFORE).into();
        params.not_after = (now + VALID).into();
        let made = params.self_signed(key).map_err(|error| self.not_made(&error))?;
        Ok(made.pem())
    }

    fn not_made(&self, error: &rcgen::Error) -> TlsError {
        content(&self.certificate, format!("cannot be made: {error}"))
    }

    /// Writes a file that is complete as soon as it has its name.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), TlsError> {
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        let written = || {
            // What a crash has left may have any mode.
            match std::fs::remove_file(&new) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&new, path)?;
            path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
        };
        written().map_err(|source| TlsError::Write { file: path.to_owned(), source })
    }
}

/// Whether a certificate is for that key and signed by nobody else.
fn is_own(certificate: &[u8], key: &KeyPair) -> bool {
    let Ok(certificate) = x509_cert::Certificate::from_der(certificate) else { return false };
    let parts = certificate.tbs_certificate();
    let is_for_key =
        parts.subject_public_key_info().to_der().is_ok_and(|info| info == key.subject_public_key_info());
    is_for_key && parts.issuer() == parts.subject()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::http::ALPN;
    use crate::tls::Tls;

    fn of(directory: &Path) -> SelfSigned {
        let names = vec!["storage-1".to_owned(), "localhost".to_owned()];
        SelfSigned::new(directory, "api-tls", names, vec![IpAddr::from([127, 0, 0, 1])])
    }

    fn fingerprint(own: &SelfSigned) -> String {
        Tls::load(own.files(), ALPN).unwrap().fingerprint()
    }

    #[test]
    fn a_pair_is_made_once_for_the_daemons_user_only_and_then_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (own, now) = (of(folder.path()), SystemTime::now());
        assert!(own.ensure(now).unwrap());
        let first = fingerprint(&own);
        assert_eq!((first.len(), first.matches(':').count()), (95, 31));
        for file in [&own.certificate, &own.key] {
            assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(!own.ensure(now + days(700)).unwrap());
        assert_eq!(fingerprint(&own), first);
    }

    #[test]
    fn a_certificate_that_ends_soon_is_renewed_with_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let (own, now) = (of(folder.path()), SystemTime::now());
        own.ensure(now - days(800)).unwrap();
        let (key, first) = (std::fs::read(&own.key).unwrap(), fingerprint(&own));
        assert!(own.ensure(now).unwrap());
        assert_eq!(std::fs::read(&own.key).unwrap(), key);
        assert_ne!(fingerprint(&own), first);
        let left = Tls::load(own.files(), ALPN).unwrap().expires().unwrap().duration_since(now).unwrap();
        assert!(left > days(819), "{left:?}");
    }

    #[test]
    fn what_the_operator_put_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (own, now) = (of(folder.path()), SystemTime::now());
        let key = KeyPair::generate().unwrap();
        std::fs::write(&own.key, key.serialize_pem()).unwrap();
        let authority = CertificateParams::new(["authority".to_owned()]).unwrap();
        let authority = rcgen::CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let mut params = CertificateParams::new(["storage-1".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "storage-1");
        params.not_after = (now + days(1)).into();
        let signed = params.signed_by(&key, &authority).unwrap().pem();
        std::fs::write(&own.certificate, &signed).unwrap();
        assert!(!own.ensure(now).unwrap());
        assert_eq!(std::fs::read_to_string(&own.certificate).unwrap(), signed);
    }

    #[test]
    fn a_start_that_was_interrupted_is_completed_and_a_lost_key_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (own, now) = (of(folder.path()), SystemTime::now());
        own.ensure(now).unwrap();
        let key = std::fs::read(&own.key).unwrap();
        std::fs::remove_file(&own.certificate).unwrap();
        assert!(own.ensure(now).unwrap());
        assert_eq!(std::fs::read(&own.key).unwrap(), key);
        std::fs::remove_file(&own.key).unwrap();
        let error = own.ensure(now).unwrap_err().to_string();
        assert!(error.contains("api-tls.key") && error.contains("delete the certificate"), "{error}");
        std::fs::write(&own.key, "nonsense").unwrap();
        let error = own.ensure(now).unwrap_err().to_string();
        assert!(error.contains("api-tls.key") && error.contains("delete it"), "{error}");
    }
}
