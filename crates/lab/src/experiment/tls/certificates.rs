//! Certificates for one run: an authority, the server's, a client's, and one of an untrusted authority.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};

/// A certificate and its key, in files (PEM).
#[derive(Debug, Clone)]
pub struct Pair {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// The certificates of a run.
#[derive(Debug)]
pub struct Certificates {
    /// The certificate of the authority that both sides trust.
    pub authority: PathBuf,
    pub server: Pair,
    pub client: Pair,
    /// A client's certificate that the server does not trust.
    pub stranger: Pair,
}

/// The name in the client's certificate.
pub const CLIENT: &str = "broker-1.example";

impl Certificates {
    /// Creates the certificates in a folder.
    pub fn make(folder: &Path, server: Ipv4Addr) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        let (trusted, other) = (Authority::make("Forebay lab")?, Authority::make("Somebody else")?);
        let authority = folder.join("authority.pem");
        write(&authority, &trusted.0.pem())?;
        Ok(Self {
            authority,
            server: trusted.sign(folder, "server", &server.to_string())?,
            client: trusted.sign(folder, "client", CLIENT)?,
            stranger: other.sign(folder, "stranger", "stranger.example")?,
        })
    }
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn make(name: &str) -> Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().context("make an authority's key")?;
        Ok(Self(CertifiedIssuer::self_signed(params, key).context("make an authority")?))
    }

    /// Creates a certificate for a name or an address.
    fn sign(&self, folder: &Path, file: &str, name: &str) -> Result<Pair> {
        let mut params = CertificateParams::new([name.to_owned()]).context("name a certificate")?;
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().context("make a key")?;
        let signed = params.signed_by(&key, &self.0).context("sign a certificate")?;
        let path = |extension: &str| folder.join(format!("{file}.{extension}"));
        let pair = Pair { certificate: path("pem"), key: path("key") };
        write(&pair.certificate, &signed.pem())?;
        write(&pair.key, &key.serialize_pem())?;
        Ok(pair)
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("write {}", path.display()))
}
