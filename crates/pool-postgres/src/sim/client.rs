//! Clients, which ask machines that have the pool and machines that had it.

use std::sync::Arc;
use std::time::Duration;

use super::daemon::Request;
use super::machine::Machine;
use super::{Failure, REGISTERS, World};

/// How long a client waits for an answer. It does not know then whether the request was carried out.
const PATIENCE: Duration = Duration::from_secs(4);

/// Asks for one thing after another, until a stale answer is found.
pub(super) async fn run(world: Arc<World>) {
    while !matches!(world.found(), Some(Failure::Stale(_))) {
        tokio::time::sleep(world.random(|random| random.time(5, 100))).await;
        let (machine, request) = world.random(|random| {
            let register = random.between(0, REGISTERS as u64 - 1) as usize;
            let machine = random.between(0, world.machines.len() as u64 - 1) as usize;
            let is_write = random.permille(350);
            (machine, if is_write { Request::Write(register) } else { Request::Read(register) })
        });
        ask(&world, &world.machines[machine], request).await;
    }
}

/// Asks a machine, and compares the answer with what clients were told before the question. Returns whether there was an answer.
pub(super) async fn ask(world: &Arc<World>, machine: &Arc<Machine>, request: Request) -> bool {
    let register = request.register();
    let before = world.known.lock().unwrap()[register];
    tokio::time::sleep(world.delay()).await;
    let (Some(server), Some(process)) = (machine.server(), machine.process()) else { return false };
    let answering = {
        let machine = machine.clone();
        // The daemon goes on even if the client does not wait any more.
        tokio::spawn(async move { machine.run(&process, server.answer(request)).await.flatten() })
    };
    let Ok(Ok(Some(version))) = tokio::time::timeout(PATIENCE, answering).await else { return false };
    tokio::time::sleep(world.delay()).await;
    if world.is_lost() {
        return false;
    }
    world.count(|counts| counts.answers += 1);
    let is_stale = match request {
        Request::Read(_) => version < before,
        Request::Write(_) => version <= before,
    };
    if is_stale {
        let what = format!(
            "{} answers version {version} to {request:?}, and clients knew version {before}",
            machine.name
        );
        world.fail(Failure::Stale, &what);
    }
    let known = &mut world.known.lock().unwrap()[register];
    *known = version.max(*known);
    true
}
