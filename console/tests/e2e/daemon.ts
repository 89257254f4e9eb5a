// A daemon of one's own on free ports, with a fresh pool; and an NFS client that loads it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const READY_MS = 60_000

/** Something that cargo has built, in whichever profile. */
function built(name: string, variable: string): string {
  const given = process.env[variable]
  const found = given ?? ['ci', 'release', 'debug'].map((profile) => join(ROOT, 'target', profile, name)).find((path) => existsSync(path))
  if (!found) throw new Error(`${name} is not built: run \`cargo build\`, or set ${variable}`)
  return found
}

/** The daemon must not see the configuration of whoever runs the tests. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('FOREBAY_')))
}

/** Waits for a process to write something that matches. */
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

export class Daemon {
  private readonly child: ChildProcess
  private readonly children: ChildProcess[] = []
  private readonly scratch: string
  readonly token: string
  url = ''
  nfs = ''

  private constructor() {
    const binary = built('forebay', 'FOREBAY_BINARY')
    this.scratch = mkdtempSync(join(tmpdir(), 'forebay-console-'))
    const pool = ['--pool-directory', join(this.scratch, 'pool')]
    const env = environment()
    const made = spawnSync(binary, ['init', ...pool], { encoding: 'utf8', env })
    const token = /^fb_\S+$/m.exec(made.stdout)
    if (!token) throw new Error(`forebay init: ${made.stdout}${made.stderr}`)
    this.token = token[0]
    const listen = ['--nfs-listen', '127.0.0.1:0', '--api-listen', '127.0.0.1:0', '--pool-size-max', '20GiB']
    this.child = spawn(binary, ['serve', ...pool, ...listen], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  static async start(): Promise<Daemon> {
    const daemon = new Daemon()
    const ready = said(daemon.child, 'stdout', /ready: .*port=(\d+)/)
    const started = said(daemon.child, 'stderr', /the API at (http:\/\/[0-9.:]+[0-9])/)
    daemon.nfs = `127.0.0.1:${(await ready)[1]}`
    daemon.url = (await started)[1] ?? ''
    return daemon
  }

  /** An NFS client that has files open, and writes and reads. */
  async client(path: string): Promise<ChildProcess> {
    const child = spawn(built('examples/hold', 'FOREBAY_HOLD'), [this.nfs, path], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.children.push(child)
    await said(child, 'stdout', /holding/)
    return child
  }

  /** Asks the API; fails if it is not done. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${this.url}/api/v1${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as T
  }

  async stop(): Promise<void> {
    for (const child of this.children) child.stdin?.end()
    const ended = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.kill('SIGTERM')
    await ended
    rmSync(this.scratch, { recursive: true, force: true })
  }
}
