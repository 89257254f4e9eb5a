//! A PostgreSQL server for the tests: that of the environment variable `FOREBAY_TEST_DATABASE`, or one that the first test starts, and that ends
//! with the tests.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use forebay_pool_postgres::{Database, create};

/// The URL of a database on another server, to run the tests there.
const OTHER: &str = "FOREBAY_TEST_DATABASE";

/// A server that belongs to these tests.
pub struct Server {
    pub directory: PathBuf,
    binaries: PathBuf,
    /// Stops the server when its standard input ends, which happens when the tests end.
    _keeper: Child,
}

/// The newest server that is installed.
fn binaries() -> PathBuf {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, path)| path.join("initdb").exists())
        .collect();
    found.sort();
    let (_, newest) = found.pop().expect("PostgreSQL is not installed: run `scripts/setup tests`");
    newest
}

/// The server refuses to run as root.
fn as_ordinary_user(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        return command;
    }
    Command::new(program)
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t"))
}

fn run(command: &mut Command) {
    let output = command.current_dir("/").output().expect("cannot be started");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A directory that the server may write to.
fn new_directory() -> PathBuf {
    let directory = tempfile::Builder::new().prefix("forebay-postgres-").tempdir().unwrap().keep();
    if is_root() {
        run(Command::new("chown").arg("postgres").arg(&directory));
    }
    directory
}

/// Adds settings to those of the server in `directory`, whose socket is there as well.
fn configure(directory: &Path, settings: &str) {
    let mut file =
        std::fs::OpenOptions::new().append(true).open(directory.join("data/postgresql.conf")).unwrap();
    writeln!(file, "{settings}\nunix_socket_directories = '{}'", directory.display()).unwrap();
}

impl Server {
    /// Initialises and starts a server that listens on a socket in its directory only.
    pub fn start() -> Server {
        Server::start_with("", |_| ())
    }

    /// The same with more settings. `prepare` may put files into its directory before it starts.
    pub fn start_with(more: &str, prepare: impl FnOnce(&Path)) -> Server {
        let (directory, binaries) = (new_directory(), binaries());
        let data = directory.join("data");
        let mut initdb = as_ordinary_user(&binaries.join("initdb"));
        initdb.args(["--auth=trust", "--no-sync", "--username=forebay", "--encoding=UTF8", "--locale=C"]);
        run(initdb.arg("--pgdata").arg(&data));
        let settings = format!(
            "listen_addresses = ''\nmax_connections = 400\nshared_buffers = 64MB\nlog_min_messages = fatal\n\
             max_prepared_transactions = 0\n{more}"
        );
        configure(&directory, &settings);
        prepare(&directory);
        if is_root() {
            run(Command::new("chown").arg("-R").arg("postgres").arg(&directory));
        }
        Server::start_in(directory, binaries)
    }

    /// Starts an asynchronous standby of this server.
    pub fn standby(&self) -> Server {
        let directory = new_directory();
        let mut copy = self.program("pg_basebackup");
        copy.args(["--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "--no-sync"]);
        copy.args(["--dbname", &self.url(), "--pgdata"]);
        run(copy.arg(directory.join("data")));
        configure(&directory, "");
        Server::start_in(directory, self.binaries.clone())
    }

    fn start_in(directory: PathBuf, binaries: PathBuf) -> Server {
        let data = directory.join("data");
        let script = r#"cat; "$@" stop --mode=immediate --silent; rm -rf "$0""#;
        let mut keeper = Command::new("sh");
        keeper.arg("-c").arg(script).arg(&directory);
        let control = as_ordinary_user(&binaries.join("pg_ctl"));
        keeper.arg(control.get_program()).args(control.get_args()).arg("--pgdata").arg(&data);
        keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let keeper = keeper.spawn().expect("sh cannot be started");
        let server = Server { directory, binaries, _keeper: keeper };
        server.control(&["start"]);
        server
    }

    /// Runs `pg_ctl`, and waits for it.
    pub fn control(&self, arguments: &[&str]) {
        let mut command = as_ordinary_user(&self.binaries.join("pg_ctl"));
        command
            .args(arguments)
            .arg("--wait")
            .arg("--silent")
            .arg("--pgdata")
            .arg(self.directory.join("data"));
        command.arg("--log").arg(self.directory.join("log")).stdin(Stdio::null());
        let status = command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.unwrap().success(), "{command:?}");
    }

    /// A program of the server's release, run as the server's user.
    pub fn program(&self, name: &str) -> Command {
        as_ordinary_user(&self.binaries.join(name))
    }

    /// The URL of its database.
    pub fn url(&self) -> String {
        url_in(&self.directory)
    }
}

/// The URL of a database on a socket in this directory.
pub fn url_in(directory: &Path) -> String {
    format!("host={} user=forebay dbname=postgres", directory.display())
}

/// The server that all tests share, if no other was named.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::start)
}

/// The URL of the database to test on.
pub fn url() -> String {
    std::env::var(OTHER).unwrap_or_else(|_| server().url())
}

/// A name that no pool has.
pub fn new_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A new pool in the database to test on.
pub fn new_database() -> Database {
    let database = Database::of(&url(), &new_name()).unwrap();
    create(&database).unwrap();
    database
}

/// Runs a statement in the database to test on.
pub fn execute(statement: &str) {
    execute_on(&url(), statement);
}

/// Runs a statement.
pub fn execute_on(url: &str, statement: &str) {
    ask(url, statement);
}

/// Runs a query that returns one text.
pub fn query_on(url: &str, query: &str) -> String {
    ask(url, query).expect("a row")
}

/// The first value of the last row.
fn ask(url: &str, statement: &str) -> Option<String> {
    use tokio_postgres::SimpleQueryMessage;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (url, statement) = (url.to_owned(), statement.to_owned());
    let work = move || {
        runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            let answers = client.simple_query(&statement).await.unwrap();
            answers.iter().rev().find_map(|answer| match answer {
                SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            })
        })
    };
    // Some tests run in a runtime already.
    std::thread::spawn(work).join().unwrap()
}
