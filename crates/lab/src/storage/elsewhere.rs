//! What a pool lies in that is not in a directory: PostgreSQL with a synchronous standby for its metadata, and a bucket for its segments, each on
//! a machine of its own.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;

use super::buckets::Buckets;
use super::forebay::POOL_SIZE_MAX;
use super::server::Server;
use crate::exec;
use crate::host::{Environment, Machine};

/// Where Debian has the server's programs, below its version.
const POSTGRES: &str = "/usr/lib/postgresql";
/// The server refuses to run as root.
const POSTGRES_USER: [&str; 3] = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
/// The first and the second database server.
const DATABASES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 99, 0, 6), Ipv4Addr::new(10, 99, 0, 7)];
const BUCKET: Ipv4Addr = Ipv4Addr::new(10, 99, 0, 8);
const BUCKET_PORT: u16 = 9000;
const BUCKET_NAME: &str = "segments";
/// The pool's name in the database.
const POOL: &str = "lab";
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// Notes the epoch of each commit group and each takeover, in their order.
const AUDIT: &str = "
    create table public.audit (id bigserial primary key, epoch bigint not null, batch bigint not null);
    create function public.audit() returns trigger language plpgsql as $$
        begin insert into public.audit (epoch, batch) values (new.epoch, new.batch); return null; end $$;
    create trigger audit after update on forebay_lab.pool for each row execute function public.audit();";
/// Counts the groups of an owner that came after a group of a later one.
const LATE_GROUPS: &str = "select count(*) from (select epoch, max(epoch) over (order by id rows between unbounded preceding and 1 preceding) as top \
     from public.audit) as groups where epoch < top";

/// See the module. Dropping it ends all of it.
pub struct Elsewhere {
    program: PathBuf,
    databases: Mutex<Databases>,
    bucket: Mutex<Bucket>,
    credentials: PathBuf,
}

/// Two servers. One of them is the primary, the other one its standby, or off.
struct Databases {
    servers: [Database; 2],
    /// Which one is the primary.
    primary: usize,
}

struct Database {
    address: Ipv4Addr,
    machine: Machine,
    binaries: PathBuf,
    folder: PathBuf,
    log: PathBuf,
    server: Server,
}

struct Bucket {
    server: Server,
    _machine: Machine,
}

impl Elsewhere {
    /// Starts the servers, and makes a pool.
    pub fn start(environment: &Environment) -> Result<Self> {
        let elsewhere = Self {
            program: environment.daemon()?.to_owned(),
            databases: Mutex::new(Databases::start(environment)?),
            bucket: Mutex::new(Bucket::start(environment)?),
            credentials: environment.state_folder().join("bucket-keys"),
        };
        let data = environment.scratch().join("bucket-data");
        let buckets = Buckets::new(elsewhere.program.clone(), data);
        buckets.create(BUCKET_NAME)?;
        let key = buckets.first_key()?;
        let file = &elsewhere.credentials;
        fs::write(file, format!("{}\n{}\n", key.id, key.secret))
            .with_context(|| format!("write {}", file.display()))?;
        let mut create = Command::new(&elsewhere.program);
        create.args(["pool", "create", POOL, "--metadata", &url(), "--segments", &segments()]);
        create.args(["--endpoint", &endpoint()]).arg("--credentials-file").arg(file);
        exec::run(&mut create).context("make the pool")?;
        elsewhere.databases().query(AUDIT)?;
        Ok(elsewhere)
    }

    /// The arguments of `forebay serve` on a node whose own files are in `folder`.
    pub fn arguments(&self, folder: &Path) -> Vec<String> {
        let [folder, keys] = [folder, &self.credentials].map(|path| path.display().to_string());
        [
            ("--pool-directory", folder),
            ("--pool-name", POOL.to_owned()),
            ("--pool-metadata", url()),
            ("--pool-segments", segments()),
            ("--pool-size-max", POOL_SIZE_MAX.to_owned()),
            ("--object-store-endpoint", endpoint()),
            ("--object-store-credentials-file", keys),
        ]
        .into_iter()
        .flat_map(|(flag, value)| [flag.to_owned(), value])
        .collect()
    }

    /// The name of the node that has the pool, and how many owners there were.
    pub fn owner(&self) -> Result<(String, u64)> {
        let row = self.databases().query(
            "select split_part(node, ' ', 1) || ' ' || epoch from forebay_lab.lease, forebay_lab.pool where not released",
        )?;
        let (name, epoch) = row.split_once(' ').context("no node has the pool")?;
        Ok((name.to_owned(), epoch.parse().context("parse the epoch")?))
    }

    /// How many groups of an owner were committed after one of a later owner. Any is an error.
    pub fn late_groups(&self) -> Result<u64> {
        self.databases().query(LATE_GROUPS)?.parse().context("parse a number")
    }

    /// Packets of the databases to this address are lost from now on. Those of the address still arrive.
    pub fn cut_databases_off_from(&self, address: Ipv4Addr) -> Result<()> {
        self.databases().each_route("add", address)
    }

    /// Ends [`Elsewhere::cut_databases_off_from`].
    pub fn mend_databases_to(&self, address: Ipv4Addr) -> Result<()> {
        self.databases().each_route("delete", address)
    }

    /// The database crashes, and is started again after a while.
    pub fn restart_database(&self, after: Duration) -> Result<()> {
        let mut databases = self.databases();
        let at = databases.primary;
        databases.servers[at].crash()?;
        std::thread::sleep(after);
        databases.servers[at].start()
    }

    /// The primary crashes, and its standby is promoted.
    pub fn promote_standby(&self) -> Result<()> {
        let mut databases = self.databases();
        let (at, next) = (databases.primary, 1 - databases.primary);
        databases.servers[at].crash()?;
        databases.servers[next].promote()?;
        databases.primary = next;
        Ok(())
    }

    /// The server that is not the primary becomes its synchronous standby, with an empty disk.
    pub fn rebuild_standby(&self) -> Result<()> {
        self.databases().add_standby()
    }

    /// The bucket does not answer for a while.
    pub fn silence_bucket(&self, time: Duration) -> Result<()> {
        let mut bucket = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.server.signal(Signal::STOP)?;
        std::thread::sleep(time);
        bucket.server.signal(Signal::CONT)
    }

    fn databases(&self) -> MutexGuard<'_, Databases> {
        self.databases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names both servers, and asks for the one that can write.
fn url() -> String {
    let [first, second] = DATABASES;
    format!("postgres://forebay@{first},{second}/postgres?target_session_attrs=read-write")
}

fn segments() -> String {
    format!("s3://{BUCKET_NAME}/{POOL}")
}

fn endpoint() -> String {
    format!("http://{BUCKET}:{BUCKET_PORT}")
}

impl Databases {
    fn start(environment: &Environment) -> Result<Self> {
        let [first, second] = DATABASES;
        let servers =
            [Database::new(environment, "db-1", first)?, Database::new(environment, "db-2", second)?];
        let mut databases = Self { servers, primary: 0 };
        databases.servers[0].initialise()?;
        databases.servers[0].start()?;
        databases.add_standby()?;
        Ok(databases)
    }

    fn add_standby(&mut self) -> Result<()> {
        let (primary, standby) = (self.primary, 1 - self.primary);
        // A standby that is copied from a primary with a standby would wait for one of its own when it is promoted.
        self.query("alter system reset synchronous_standby_names")?;
        self.query("select pg_reload_conf()")?;
        let from = self.servers[primary].address;
        self.servers[standby].copy_from(from)?;
        self.servers[standby].start()?;
        self.query("alter system set synchronous_standby_names = '*'")?;
        self.query("select pg_reload_conf()")?;
        let deadline = Instant::now() + PATIENCE;
        while self.query("select count(*) from pg_stat_replication where sync_state = 'sync'")? != "1" {
            ensure!(
                Instant::now() < deadline,
                "the standby database is not in sync after {} s",
                PATIENCE.as_secs()
            );
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Runs a statement on the primary. Returns the first value of the last row.
    fn query(&self, statement: &str) -> Result<String> {
        let primary = &self.servers[self.primary];
        let mut psql = Command::new(primary.binaries.join("psql"));
        psql.args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
            "--username=forebay",
        ]);
        psql.args(["--dbname=postgres", "--host", &primary.address.to_string(), "--command", statement]);
        let output = exec::output_within(&mut psql, PATIENCE).context("run psql")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the database refused {statement:?}: {}", said.trim());
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn each_route(&self, verb: &str, address: Ipv4Addr) -> Result<()> {
        for server in &self.servers {
            let mut command = server.machine.command("ip");
            exec::run(command.args(["route", verb, "blackhole", &format!("{address}/32")]))
                .context("cut a node off from the database")?;
        }
        Ok(())
    }
}

impl Database {
    fn new(environment: &Environment, name: &'static str, address: Ipv4Addr) -> Result<Self> {
        Ok(Self {
            address,
            machine: environment.network()?.add_machine(name, address)?,
            binaries: binaries()?,
            folder: environment.folder_of_user("postgres", name)?,
            log: environment.logs().join(format!("{name}.log")),
            server: Server::new("postgres"),
        })
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A program of the server, on its machine, as its user.
    fn command(&self, program: &str) -> Command {
        let mut command = self.machine.command("setpriv");
        command.args(POSTGRES_USER).arg(self.binaries.join(program)).current_dir("/");
        command
    }

    fn initialise(&self) -> Result<()> {
        let mut initdb = self.command("initdb");
        initdb.args([
            "--auth=trust",
            "--no-sync",
            "--username=forebay",
            "--encoding=UTF8",
            "--locale=C",
            "--pgdata",
        ]);
        exec::run(initdb.arg(self.data()))
            .context("make a database as the user postgres; the lab must run as root")?;
        let settings = "listen_addresses = '*'\nunix_socket_directories = ''\nmax_connections = 100\nshared_buffers = 128MB\n\
                        wal_keep_size = 512MB\nmax_wal_senders = 4\n";
        append(&self.data().join("postgresql.conf"), settings)?;
        let clients = "host all forebay 10.99.0.0/24 trust\nhost replication forebay 10.99.0.0/24 trust\n";
        append(&self.data().join("pg_hba.conf"), clients)
    }

    fn copy_from(&mut self, primary: Ipv4Addr) -> Result<()> {
        if self.data().exists() {
            fs::remove_dir_all(self.data()).context("remove the old database")?;
        }
        let from = format!("host={primary} user=forebay application_name=standby");
        let mut copy = self.command("pg_basebackup");
        copy.args([
            "--checkpoint=fast",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--no-sync",
            "--dbname",
            &from,
            "--pgdata",
        ]);
        exec::run(copy.arg(self.data())).context("copy the database to its standby")
    }

    /// Starts it, and waits until it answers.
    fn start(&mut self) -> Result<()> {
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = self.command("postgres");
        self.server.start(command.arg("-D").arg(self.data()), log)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut ready = Command::new(self.binaries.join("pg_isready"));
            ready.args(["--quiet", "--host", &self.address.to_string()]);
            if ready.status().context("run pg_isready")?.success() {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!(
                    "PostgreSQL does not answer after {} s; see {}",
                    PATIENCE.as_secs(),
                    self.log.display()
                );
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Ends it at once, without writing anything.
    fn crash(&mut self) -> Result<()> {
        self.server.signal(Signal::QUIT)?;
        self.server.wait_for_end(PATIENCE).map(drop)
    }

    fn promote(&self) -> Result<()> {
        let mut promote = self.command("pg_ctl");
        exec::run(promote.args(["promote", "--wait", "--pgdata"]).arg(self.data()))
            .context("promote the standby")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Killed, it would leave shared memory behind.
        let _ = self.crash();
    }
}

fn append(file: &Path, text: &str) -> Result<()> {
    let before = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    fs::write(file, format!("{before}\n{text}")).with_context(|| format!("write {}", file.display()))
}

/// The programs of the newest server that is installed.
fn binaries() -> Result<PathBuf> {
    let versions = fs::read_dir(POSTGRES).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .max();
    newest.map(|(_, folder)| folder).context("PostgreSQL is missing: install the package postgresql")
}

impl Bucket {
    fn start(environment: &Environment) -> Result<Self> {
        let machine = environment.network()?.add_machine("bucket", BUCKET)?;
        let mut command = machine.command(environment.daemon()?);
        command.arg("serve").arg("--pool-directory").arg(environment.fresh("bucket-data")?);
        command.args(["--pool-size-max", POOL_SIZE_MAX, "--api-listen", "off"]);
        command.args([
            "--nfs-listen",
            &format!("{BUCKET}:2049"),
            "--s3-listen",
            &format!("{BUCKET}:{BUCKET_PORT}"),
        ]);
        let log = environment.logs().join("bucket.log");
        let opened = File::create(&log).with_context(|| format!("create {}", log.display()))?;
        let mut server = Server::new("the daemon with the bucket");
        server.start(&mut command, opened)?;
        server.wait_for_port(BUCKET, BUCKET_PORT, PATIENCE).with_context(|| {
            format!("the daemon with the bucket did not come up; its log is {}", log.display())
        })?;
        Ok(Self { server, _machine: machine })
    }
}
