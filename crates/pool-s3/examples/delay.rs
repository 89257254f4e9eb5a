//! Forwards TCP connections, and delays what passes.
//!
//! ```text
//! delay LISTEN TARGET MICROSECONDS
//! ```
//! Bytes arrive so many microseconds later in each direction, so a round trip takes twice as long more. Throughput is not limited. Prints the address
//! when it listens. For measurements where the kernel has no netem.

#![allow(clippy::unwrap_used, reason = "a program for developers, which may stop at any error")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [listen, target, delay] = &arguments[..] else {
        eprintln!("delay: write `delay LISTEN TARGET MICROSECONDS`");
        std::process::exit(2);
    };
    let delay = Duration::from_micros(delay.parse().unwrap());
    let listener = TcpListener::bind(listen).unwrap();
    println!("{}", listener.local_addr().unwrap());
    for client in listener.incoming() {
        let (client, server) = (client.unwrap(), TcpStream::connect(target).unwrap());
        client.set_nodelay(true).unwrap();
        server.set_nodelay(true).unwrap();
        forward(client.try_clone().unwrap(), server.try_clone().unwrap(), delay);
        forward(server, client, delay);
    }
}

/// Forwards one direction with two threads: one receives, the other one waits and sends.
fn forward(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (sender, receiver) = channel::<(Instant, Vec<u8>)>();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 256 << 10];
        while let Ok(count) = from.read(&mut buffer) {
            if sender.send((Instant::now() + delay, buffer[..count].to_vec())).is_err() || count == 0 {
                break;
            }
        }
    });
    std::thread::spawn(move || {
        while let Ok((due, bytes)) = receiver.recv() {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if bytes.is_empty() || to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
}
