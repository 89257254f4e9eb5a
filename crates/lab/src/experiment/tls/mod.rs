//! `tls`: Linux clients mount over TLS (RFC 9289), with and without a certificate of their own, and all other clients are refused.
//!
//! In each guest the kernel asks `tlshd` to do the handshake, as on any client. Then the kernel itself encrypts.

mod certificates;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use self::certificates::{CLIENT, Certificates, Pair};
use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process};
use crate::report::{Recorder, Subject};
use crate::request::Request;
use crate::request::StorageKind;
use crate::storage::{Forebay, Storage};
use crate::toolbox::{Toolbox, Toolset};

/// The experiment.
pub struct Tls;

const TARGET: &str = "/mnt/volume";
const PATIENCE: Duration = Duration::from_secs(120);
/// Time limit for tlshd to listen.
const TLSHD_PATIENCE: Duration = Duration::from_secs(30);
/// The amount of data that is written over TLS and compared.
const MEGABYTES: &str = "64";

impl Experiment for Tls {
    fn name(&self) -> &'static str {
        "tls"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "NFS over TLS",
            question: "Can Linux clients mount over TLS, with and without a certificate, and are all other clients refused?",
            method: "The lab makes certificates for the server and for clients. Guests mount with TLS, with and without a certificate, and \
                     compare the data. Then clients that must be refused try to mount: without TLS, without a certificate, with a certificate \
                     of another authority, and from an address that the export policy does not allow. The server is restarted once.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn tools(&self) -> &'static [Toolset] {
        &[Toolset::Tls]
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, _: &Request, recorder: &Recorder) -> Result<String> {
        recorder.stage("storage");
        let certificates =
            Certificates::make(&environment.scratch().join("certificates"), environment.gateway())?;
        let mut storage = Forebay::start(environment, &arguments(&certificates))?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("guests");
        let tools = environment.tools_of(Toolset::Tls)?;
        recorder.version("ktls-utils", tools.version("ktls-utils")?);
        let names = ["broker", "bare", "stranger"];
        let guests = environment.boot_all(&names.map(|name| GuestSpec::new(name, 256)))?;
        let [broker, bare, stranger] = guests.as_slice() else {
            anyhow::bail!("three guests were asked for")
        };
        let shown =
            [(broker, Some(&certificates.client)), (bare, None), (stranger, Some(&certificates.stranger))];
        let daemons = shown
            .iter()
            .map(|(guest, pair)| start_tlshd(environment, &tools, guest, &certificates, *pair))
            .collect::<Result<Vec<_>>>()?;
        let setup = Setup { recorder, storage: &storage, broker, bare, stranger };
        setup.required()?;
        setup.mutual()?;
        setup.outside()?;
        recorder.stage("a restart of the server");
        survives_restart(recorder, broker, &mut storage)?;
        recorder.stage("stopping");
        drop(daemons);
        for guest in &guests {
            guest.stop()?;
        }
        storage.stop()?;
        Ok("clients mounted over TLS, and those without the right certificate or address did not".into())
    }
}

fn arguments(certificates: &Certificates) -> Vec<String> {
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    [
        ("--nfs-tls-certificate", &certificates.server.certificate),
        ("--nfs-tls-key", &certificates.server.key),
        ("--nfs-tls-client-authorities", &certificates.authority),
    ]
    .into_iter()
    .flat_map(|(flag, path)| [flag.to_owned(), text(path)])
    .collect()
}

/// Starts the daemon that the guest's kernel asks for handshakes, and waits until it listens: a mount before that fails with ESRCH.
fn start_tlshd(
    environment: &Environment,
    tools: &Toolbox,
    guest: &Guest,
    certificates: &Certificates,
    pair: Option<&Pair>,
) -> Result<Process> {
    // The kernel would load them with modprobe, which the guest does not have.
    guest.load_modules(&["tls", "gcm", "ctr"])?;
    let mut configuration = format!(
        "[debug]\nloglevel=1\ntls=0\nnl=0\n[authenticate.client]\nx509.truststore={}\n",
        certificates.authority.display()
    );
    if let Some(pair) = pair {
        let (certificate, key) = (pair.certificate.display(), pair.key.display());
        configuration.push_str(&format!("x509.certificate={certificate}\nx509.private_key={key}\n"));
    }
    let path = "/run/tlshd.conf";
    guest.write_file(path, configuration.as_bytes())?;
    let log = environment.logs().join(format!("{}-tlshd.log", guest.name()));
    let words = tools.words("usr/sbin/tlshd");
    let command = GuestCommand::from_words(words).args(["--stderr", "--config", path]).log(log);
    let daemon = guest.spawn(&command).context("start tlshd")?;
    let deadline = Instant::now() + TLSHD_PATIENCE;
    while !hears_of_handshakes(&guest.read_file("/proc/net/netlink")?) {
        ensure!(daemon.exit()?.is_none(), "tlshd in {} ended while it started", guest.name());
        ensure!(Instant::now() < deadline, "tlshd in {} does not listen", guest.name());
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(daemon)
}

/// Whether a process of a guest belongs to a multicast group of generic netlink, by which the kernel asks for handshakes. No other program
/// in a guest does.
fn hears_of_handshakes(sockets: &[u8]) -> bool {
    const GENERIC: &str = "16";
    String::from_utf8_lossy(sockets).lines().any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let (family, _port, groups) = (fields.next(), fields.next(), fields.next());
        family == Some(GENERIC) && groups.is_some_and(|groups| groups.bytes().any(|digit| digit != b'0'))
    })
}

/// The context of the checks.
struct Setup<'a> {
    recorder: &'a Recorder,
    storage: &'a Forebay,
    /// The client with a certificate that the server trusts.
    broker: &'a Guest,
    /// The client without a certificate.
    bare: &'a Guest,
    /// The client with a certificate from another authority.
    stranger: &'a Guest,
}

impl Setup<'_> {
    /// With TLS required, a mount without TLS is refused, and clients with TLS share files.
    fn required(&self) -> Result<()> {
        self.recorder.stage("TLS required");
        self.storage.change_rule(&["--tls", "required"])?;
        self.refused("plain_refused", "Without TLS, where it is required", self.bare, "none")?;
        self.mounted("tls_mount", "Over TLS, without a certificate", self.bare, "tls")?;
        self.moves_data(self.bare)?;
        self.is_told("tls_told", "The server tells that the client uses TLS", "on", None)?;
        self.bare.unmount(TARGET)
    }

    /// With client certificates required, only the client with a trusted one can mount.
    fn mutual(&self) -> Result<()> {
        self.recorder.stage("certificates required");
        self.storage.change_rule(&["--tls", "mutual"])?;
        self.refused(
            "bare_refused",
            "Over TLS without a certificate, where one is required",
            self.bare,
            "tls",
        )?;
        let title = "With a certificate of an authority that is not trusted";
        self.refused("stranger_refused", title, self.stranger, "mtls")?;
        self.mounted("mtls_mount", "Over TLS, with a certificate", self.broker, "mtls")?;
        self.moves_data(self.broker)?;
        self.is_told("mtls_told", "The server tells for whom the certificate is", "mutual", Some(CLIENT))
    }

    /// A client that no rule matches is refused, whatever its certificate.
    fn outside(&self) -> Result<()> {
        self.recorder.stage("outside the policy");
        let address = self.bare.address().to_string();
        self.storage.change_rule(&["--tls", "optional"])?;
        self.storage.add_first_rule(&address, &["--access", "none"])?;
        for security in ["none", "tls"] {
            let name = format!("outside_{security}_refused");
            self.refused(&name, "A client outside the export policy", self.bare, security)?;
        }
        self.storage.remove_rule(&address)?;
        self.storage.change_rule(&["--tls", "mutual"])
    }

    fn mounted(&self, name: &str, title: &str, guest: &Guest, security: &str) -> Result<()> {
        let result = self.storage.mount_secured(guest, TARGET, security);
        let detail = match &result {
            Ok(()) => format!("mounted with xprtsec={security}"),
            Err(error) => format!("{error:#}"),
        };
        self.recorder.check(name, title, result.is_ok(), detail);
        result
    }

    fn refused(&self, name: &str, title: &str, guest: &Guest, security: &str) -> Result<()> {
        match self.storage.mount_secured(guest, TARGET, security) {
            Err(error) => {
                let error = format!("{error:#}");
                // The last part of the error chain is the system call's error.
                let short = error.rsplit(": ").next().unwrap_or(&error);
                self.recorder.check(name, title, true, format_args!("refused: {short}"));
            }
            Ok(()) => {
                // The mount itself may succeed above the volume. The client must not see the volume's files.
                let listed = guest.exec(&GuestCommand::new("ls").args(["-A", TARGET]), PATIENCE)?;
                let nothing = !listed.exit.success();
                self.recorder.check(
                    name,
                    title,
                    nothing,
                    format_args!("mounted; ls: {}", listed.stderr.trim()),
                );
                guest.unmount(TARGET)?;
            }
        }
        Ok(())
    }

    /// Data can be written and read back.
    fn moves_data(&self, guest: &Guest) -> Result<()> {
        let (sent, came) = write_and_read(guest)?;
        let name = format!("{}_data", guest.name());
        let detail = format!("{MEGABYTES} MB, {sent}");
        self.recorder.check(&name, "Data written over TLS is read back over TLS", sent == came, detail);
        Ok(())
    }

    fn is_told(&self, name: &str, title: &str, tls: &str, certificate: Option<&str>) -> Result<()> {
        let clients = self.storage.clients()?;
        let text = clients.to_string();
        let passed = text.contains(&format!("\"tls\":\"{tls}\""))
            && certificate.is_none_or(|name| text.contains(name));
        self.recorder.check(name, title, passed, if passed { tls } else { text.as_str() });
        Ok(())
    }
}

/// Writes random bytes, drops the cache, and reads them back. Returns the checksums of both.
fn write_and_read(guest: &Guest) -> Result<(String, String)> {
    let script = format!(
        "set -e; dd if=/dev/urandom bs=1M count={MEGABYTES} status=none | tee {TARGET}/data | sha256sum; \
         sync; echo 3 > /proc/sys/vm/drop_caches"
    );
    let sent = guest.run(&GuestCommand::new("sh").args(["-c", &script]), PATIENCE)?;
    let came =
        guest.run(&GuestCommand::new("sh").args(["-c", &format!("sha256sum < {TARGET}/data")]), PATIENCE)?;
    Ok((sent, came))
}

/// After a restart of the server, the client can continue only after another handshake.
fn survives_restart(recorder: &Recorder, broker: &Guest, storage: &mut Forebay) -> Result<()> {
    storage.kill()?;
    storage.restart()?;
    let (sent, came) = write_and_read(broker)?;
    recorder.check(
        "restart",
        "The client continues over TLS after kill -9 and a restart",
        sent == came,
        sent.trim(),
    );
    broker.unmount(TARGET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_listens_is_told_from_the_kernels_own_sockets() {
        let kernels = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n\
                       0000000097d5cc9c 4   0          00000010 0        0        0     2        0        30\n\
                       000000003e5b3b08 16  0          00000000 0        0        0     2        0        4\n";
        assert!(!hears_of_handshakes(kernels.as_bytes()));
        let daemons =
            "0000000049bc1e87 16  3317695216 00000040 0        0        0     2        0        92\n";
        assert!(hears_of_handshakes(format!("{kernels}{daemons}").as_bytes()));
    }
}
