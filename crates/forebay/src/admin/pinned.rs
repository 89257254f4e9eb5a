//! Trusts one certificate, by its fingerprint.
//!
//! What must hold: the server also proves that it has the certificate's key, as in every TLS handshake. Names, dates and issuers do not
//! matter: whoever passes a fingerprint has decided about this very certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::arguments::Fingerprint;

/// See the module.
#[derive(Debug)]
pub struct Pinned {
    fingerprint: Fingerprint,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pinned {
    /// Trusts the certificate with this fingerprint.
    pub fn new(fingerprint: Fingerprint, provider: &Arc<CryptoProvider>) -> Pinned {
        Pinned { fingerprint, algorithms: provider.signature_verification_algorithms }
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.fingerprint.is_of(certificate) {
            return Ok(ServerCertVerified::assertion());
        }
        let actual = forebay_net::tls::fingerprint(certificate);
        Err(Error::General(format!(
            "the server's certificate has the fingerprint {actual}, not {}",
            self.fingerprint
        )))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
