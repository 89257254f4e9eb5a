//! Command lines of Java programs.

use super::distribution::Distribution;

/// The size of a Java program.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Largest heap.
    pub heap_mib: u32,
}

/// The option that makes Java compile quickly, and not the best code. It suits programs that run for seconds, or share a processor.
pub const QUICK_COMPILER: &str = "-XX:TieredStopAtLevel=1";

/// The beginning of the option that names the class-data archive.
pub const ARCHIVE_OPTION: &str = "-XX:SharedArchiveFile=";

/// The command line that runs `main` with `arguments`. Logs go to the standard error output, with dates; nothing is written to `/tmp`,
/// which a guest shares with the host.
pub fn words(
    kafka: &Distribution,
    size: Size,
    log_level: &str,
    main: &str,
    arguments: &[&str],
) -> Vec<String> {
    let mut words: Vec<String> = vec!["java".into()];
    // A Java virtual machine that cannot use it starts without it, silently.
    words.extend(kafka.archive().map(|archive| format!("{ARCHIVE_OPTION}{}", archive.display())));
    words.extend([
        format!("-Xmx{}m", size.heap_mib),
        // Without this, one thread ends, and the others go on.
        "-XX:+ExitOnOutOfMemoryError".into(),
        "-XX:+UseSerialGC".into(),
        "-XX:-UsePerfData".into(),
        QUICK_COMPILER.into(),
        "-Djava.awt.headless=true".into(),
        format!("-Dorg.slf4j.simpleLogger.defaultLogLevel={log_level}"),
        "-Dorg.slf4j.simpleLogger.showDateTime=true".into(),
        "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS".into(),
        "-Dorg.slf4j.simpleLogger.showThreadName=false".into(),
        "-cp".into(),
        kafka.class_path(),
        main.into(),
    ]);
    words.extend(arguments.iter().map(|&argument| argument.to_owned()));
    words
}
