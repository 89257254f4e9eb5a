// A daemon on free ports with a new pool, and an NFS client that loads it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const READY_MS = 60_000

/** The path of a program that cargo has built, in any profile. */
export function built(name: string, variable: string): string {
  const given = process.env[variable]
  const found = given ?? ['ci', 'release', 'debug'].map((profile) => join(ROOT, 'target', profile, name)).find((path) => existsSync(path))
  if (!found) throw new Error(`${name} is not built: run \`cargo build\`, or set ${variable}`)
  return found
}

/** The environment without the configuration of the user who runs the tests. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('FOREBAY_'))
  return { ...Object.fromEntries(own), XDG_RUNTIME_DIR: '/nonexistent' }
}

function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

/** Waits until a process writes text that matches. */
function said(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => reject(new Error(`not ready in ${READY_MS} ms: ${text}`)), READY_MS)
    child.once('exit', (status) => reject(new Error(`ended with ${status}: ${text}`)))
    const other = stream === 'stdout' ? child.stderr : child.stdout
    other?.on('data', (data: Buffer) => (text += data.toString()))
    child[stream]?.on('data', (data: Buffer) => {
      text += data.toString()
      const found = pattern.exec(text)
      if (!found) return
      clearTimeout(timer)
      resolve(found)
    })
  })
}

/** Makes a pool, and returns the token of its admin. */
function initialize(binary: string, pool: string[], env: NodeJS.ProcessEnv): string {
  const made = spawnSync(binary, ['init', ...pool], { encoding: 'utf8', env })
  const token = /^fb_\S+$/m.exec(made.stdout)
  if (!token) throw new Error(`forebay init: ${made.stdout}${made.stderr}`)
  return token[0]
}

export interface Start {
  /** A command that starts the daemon, for example one that binds it to processors. */
  prefix?: string[]
  /** Additional settings. */
  settings?: string[]
  /** Whether the daemon serves S3, which it does by default. */
  s3?: boolean
  /** Where the daemon serves the API; by default on a free port. */
  api?: string
  /** Additional environment variables. */
  variables?: Record<string, string>
  /** A daemon whose pool this one serves, too. It removes the pool at its end. */
  pool?: Daemon
  /** The settings of a pool in a database. */
  database?: string[]
}

/** The results of the load generator. */
export interface LoadDone {
  bytes: number
  elapsed_us: number
  latency_us_p50: number
  latency_us_p99: number
  client_cpu_s: number
  server_cpu_s: number
}

export class Daemon {
  private readonly child: ChildProcess
  private readonly children: ChildProcess[] = []
  private readonly scratch: string
  private readonly ready: Promise<RegExpMatchArray>
  private readonly started: Promise<RegExpMatchArray>
  token: string
  /** The directory of the lab's reports. */
  readonly results: string
  url = ''
  nfs = ''
  s3 = ''

  private constructor(private readonly how: Start) {
    const binary = built('forebay', 'FOREBAY_BINARY')
    this.scratch = how.pool?.scratch ?? mkdtempSync(join(tmpdir(), 'forebay-console-'))
    this.results = join(this.scratch, 'lab-results')
    mkdirSync(this.results, { recursive: true })
    const pool = ['--pool-directory', join(this.scratch, 'pool')]
    const env = environment()
    this.token = how.database ? '' : (how.pool?.token ?? initialize(binary, pool, env))
    const s3 = how.s3 === false ? 'off' : '127.0.0.1:0'
    const listen = ['--nfs-listen', '127.0.0.1:0', '--api-listen', how.api ?? '127.0.0.1:0', '--s3-listen', s3, '--pool-size-max', '20GiB', '--lab-results-directory', this.results]
    const [program, ...rest] = [...(how.prefix ?? []), binary, 'serve', ...pool, ...listen, ...(how.database ?? []), ...(how.settings ?? [])] as [string, ...string[]]
    this.child = spawn(program, rest, { env: { ...env, ...how.variables }, stdio: ['ignore', 'pipe', 'pipe'] })
    this.ready = said(this.child, 'stdout', /ready: .*port=(\d+)/)
    this.started = said(this.child, 'stderr', /the API at (http:[0-9.:/]+)(?:, S3 at (http:[0-9.:/]+))?\s/)
    // Whoever waits for them learns of errors.
    for (const promise of [this.ready, this.started]) promise.catch(() => {})
  }

  static async start(how: Start = {}): Promise<Daemon> {
    const daemon = new Daemon(how)
    await daemon.serves()
    return daemon
  }

  /** Starts a daemon that waits while another serves its pool, and is able to take it over. */
  static async standby(how: Start & { pool: Daemon }): Promise<Daemon> {
    const daemon = new Daemon(how)
    await said(daemon.child, 'stderr', /has the pool, and what it writes is seen here/)
    return daemon
  }

  /** Starts a daemon that waits for its pool in a database while another serves it. */
  static async candidate(how: Start & { database: string[] }): Promise<Daemon> {
    const daemon = new Daemon(how)
    await said(daemon.child, 'stderr', /waiting: another node serves the pool/)
    return daemon
  }

  /** Environment variables of a daemon whose syncs are slow while a file exists. */
  static slowDisk(): { variables: Record<string, string>; flag: string } {
    const folder = mkdtempSync(join(tmpdir(), 'forebay-slow-'))
    const library = join(folder, 'slow-disk.so')
    const built = spawnSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'slow-disk.c'), '-ldl'], { encoding: 'utf8' })
    if (built.status !== 0) throw new Error(`cc: ${built.error?.message ?? built.stderr}`)
    const flag = join(folder, 'slow')
    return { variables: { LD_PRELOAD: library, SLOW_DISK: flag }, flag }
  }

  /** The bytes of the finest graphs that the daemon has written to disk. */
  historyBytes(): number {
    return statSync(join(this.scratch, 'pool/history/points-5s'), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Replaces a file of the pool's history: lines with their CRC-32C. */
  history(name: string, records: unknown[]): void {
    const line = (record: unknown) => {
      const text = JSON.stringify(record)
      return `${crc32c(Buffer.from(text)).toString(16).padStart(8, '0')} ${text}\n`
    }
    writeFileSync(join(this.scratch, 'pool/history', name), records.map(line).join(''))
  }

  /** Runs a command about this daemon. */
  run(words: string[]): Promise<{ status: number | null; text: string }> {
    const child = spawn(built('forebay', 'FOREBAY_BINARY'), [...words, '--pool-directory', join(this.scratch, 'pool')], { env: environment() })
    let text = ''
    child.stdout.on('data', (data: Buffer) => (text += data.toString()))
    child.stderr.on('data', (data: Buffer) => (text += data.toString()))
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, text })))
  }

  /** Waits until the daemon serves the pool. */
  async serves(): Promise<void> {
    this.nfs = `127.0.0.1:${(await this.ready)[1]}`
    const started = await this.started
    this.url = started[1] ?? ''
    this.s3 = started[2] ?? ''
    if (this.how.database) this.token = (await this.run(['token', 'create'])).text.trim()
  }

  /** Kills the daemon. */
  async kill(): Promise<void> {
    await this.end('SIGKILL')
  }

  /** Stops the daemon's process, which then answers nothing, until it is resumed. */
  pause(): void {
    this.child.kill('SIGSTOP')
  }

  resume(): void {
    this.child.kill('SIGCONT')
  }

  /** Stops the daemon, and leaves its pool. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill(signal)
    await ended
  }

  /** The access key of the first user of S3, from the file that the daemon wrote. */
  s3Key(): { id: string; secret: string } {
    const text = readFileSync(join(this.scratch, 'pool.s3-admin'), 'utf8')
    const value = (name: string) => new RegExp(`^${name} = (\\S+)$`, 'm').exec(text)?.[1] ?? ''
    return { id: value('aws_access_key_id'), secret: value('aws_secret_access_key') }
  }

  /** Starts an NFS client that has files open, and writes and reads. */
  async client(path: string): Promise<ChildProcess> {
    const child = spawn(built('examples/hold', 'FOREBAY_HOLD'), [this.nfs, path], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.children.push(child)
    await said(child, 'stdout', /holding/)
    return child
  }

  /** Writes what brokers of Kafka would have written, and holds their locks. */
  async kafka(path: string, topics: number): Promise<ChildProcess> {
    const child = spawn(built('examples/kafka_layout', 'FOREBAY_KAFKA_LAYOUT'), [this.nfs, path, `${topics}`], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.children.push(child)
    await said(child, 'stdout', /holding/)
    return child
  }

  /** Runs the project's load generator on the same processors until it finishes. */
  async load(work: string[], seed: number): Promise<LoadDone> {
    const generator = [built('forebay', 'FOREBAY_BINARY'), 'lab', 'probe', 'load', '--server', this.nfs, '--server-pid', `${this.child.pid}`]
    const [program, ...rest] = [...(this.how.prefix ?? []), ...generator, '--seed', `${seed}`, ...work] as [string, ...string[]]
    const child = spawn(program, rest, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
    const written = { stdout: '', stderr: '' }
    child.stdout.on('data', (data: Buffer) => (written.stdout += data.toString()))
    child.stderr.on('data', (data: Buffer) => (written.stderr += data.toString()))
    const status = await new Promise((resolve) => child.once('close', resolve))
    if (status !== 0) throw new Error(`the load generator ended with ${status}: ${written.stderr}`)
    return JSON.parse(written.stdout) as LoadDone
  }

  /** The daemon's processor time so far, in seconds. A tick in /proc is a hundredth of a second. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  }

  /** Sends a request to the API. Fails unless it succeeds. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${this.url}/api/v1${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  /** Lets the lab write a page for the results in a folder. */
  page(folder: string, file: string): void {
    const below = join(this.results, folder)
    const made = spawnSync(built('forebay', 'FOREBAY_BINARY'), ['lab', 'compare', below, '--out', join(below, file)], { encoding: 'utf8', env: environment() })
    if (made.status !== 0) throw new Error(`forebay lab compare: ${made.stdout}${made.stderr}`)
  }

  /** Writes a result like one of a lab run, or invalid content. */
  result(folder: string, content: unknown): void {
    mkdirSync(join(this.results, folder), { recursive: true })
    writeFileSync(join(this.results, folder, 'result.json'), typeof content === 'string' ? content : JSON.stringify(content))
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.stdin?.end()
    await this.end('SIGTERM')
    if (!this.how.pool) rmSync(this.scratch, { recursive: true, force: true })
  }
}
