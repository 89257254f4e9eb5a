// How much storage a Kafka cluster needs: the arithmetic of `forebay size` (crates/forebay/src/commands/size). Both are tested
// with the cases in crates/forebay/src/commands/size/cases.json, so they cannot drift apart.

/** The fraction of the ideal savings that remains when replicas are stored once. */
export const REPLICAS_SHARED = 0.93

/** Bytes, bytes per second, seconds. */
export interface Wanted {
  produce: number
  replication: number
  retention_seconds: number
  brokers: number
  read: number
  compression: number
  /** Percent. */
  reserve: number
  node_throughput: number | null
  node_capacity: number | null
}

export interface Nodes {
  for_throughput: number | null
  for_capacity: number | null
  needed: number
  /** The maximum produce rate with these nodes, by replication factor. */
  produce_max: [number, number][]
}

export interface Plan {
  storage_write: number
  storage_throughput: number
  broker_write: number
  capacity_logical: number
  efficiency: number
  capacity_physical: number
  capacity_with_reserve: number
  capacity_without_efficiency: number
  nodes: Nodes | null
}

/** What a pool has measured: the means of what was written and read per second, and its storage efficiency. */
export interface Measured {
  write: number | null
  read: number | null
  efficiency: { bytes_logical: number; bytes_deduplicated: number; bytes_physical: number } | null | undefined
}

/** Returns the inputs that a pool suggests, as a user would type them. What it has not measured is absent. */
export function suggested(measured: Measured, replication: number): { produce?: string; read?: string; compression?: string } {
  const typed = (value: number) => `${Number((value / 1e6).toPrecision(3))}MB/s`
  const found = measured.efficiency
  const unique = found ? found.bytes_logical - found.bytes_deduplicated : 0
  return {
    ...(measured.write && replication > 0 ? { produce: typed(measured.write / replication) } : {}),
    ...(measured.read === null ? {} : { read: typed(measured.read) }),
    ...(found && found.bytes_physical > 0 && unique > found.bytes_physical ? { compression: (unique / found.bytes_physical).toFixed(2) } : {}),
  }
}

/** Returns why there is no plan, or null if there is one. */
export function refusal(wanted: Wanted): string | null {
  if (!(wanted.produce > 0)) return 'Enter a produce rate, such as 1.2GB/s.'
  if (!(wanted.retention_seconds > 0)) return 'Enter a retention time, such as 7d.'
  if (!(wanted.compression >= 1)) return 'The compression ratio must be 1 or more.'
  if (!(wanted.reserve >= 0 && wanted.reserve <= 90)) return 'The free space reserve must be between 0 and 90 percent.'
  if (!(wanted.replication >= 1)) return 'The replication factor must be 1 or more.'
  if (!(wanted.replication <= wanted.brokers)) return `Replication factor ${wanted.replication} needs at least ${wanted.replication} brokers.`
  return null
}

/** Returns the plan. Call `refusal` first. */
export function plan(wanted: Wanted): Plan {
  const factor = wanted.replication
  const storage_write = wanted.produce * factor
  const capacity_logical = storage_write * wanted.retention_seconds
  const efficiency = (factor > 1 ? factor * REPLICAS_SHARED : 1) * wanted.compression
  const free = 1 - wanted.reserve / 100
  const capacity_with_reserve = capacity_logical / efficiency / free
  const storage_throughput = storage_write + wanted.read
  return {
    storage_write,
    storage_throughput,
    broker_write: storage_write / wanted.brokers,
    capacity_logical,
    efficiency,
    capacity_physical: capacity_logical / efficiency,
    capacity_with_reserve,
    capacity_without_efficiency: capacity_logical / free,
    nodes: nodes(wanted, storage_throughput, capacity_with_reserve),
  }
}

function nodes(wanted: Wanted, throughput: number, capacity: number): Nodes | null {
  const whole = (demand: number, node: number | null) => (node === null ? null : Math.max(1, Math.ceil(demand / node)))
  const for_throughput = whole(throughput, wanted.node_throughput)
  const for_capacity = whole(capacity, wanted.node_capacity)
  if (for_throughput === null && for_capacity === null) return null
  const needed = Math.max(for_throughput ?? 0, for_capacity ?? 0)
  const produce_max: [number, number][] = []
  if (wanted.node_throughput !== null) {
    const all = Math.max(0, wanted.node_throughput * needed - wanted.read)
    for (let factor = 1; factor <= Math.max(3, wanted.replication); factor += 1) produce_max.push([factor, all / factor])
  }
  return { for_throughput, for_capacity, needed, produce_max }
}
