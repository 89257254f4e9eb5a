// A PostgreSQL server of the tests, and pools in it.
import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SERVERS = '/usr/lib/postgresql'

function run(program: string, words: string[]): string {
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const [first, ...rest] = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...words] : [program, ...words]
  const ran = spawnSync(first as string, rest, { encoding: 'utf8', cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  if (ran.status !== 0) throw new Error(`${program} ${words.join(' ')}: ${ran.error?.message ?? ran.stderr}`)
  return ran.stdout.trim()
}

export class Database {
  private readonly scratch = mkdtempSync(join(tmpdir(), 'forebay-database-'))
  private readonly programs: string

  constructor() {
    const newest = existsSync(SERVERS) ? readdirSync(SERVERS).sort((one, other) => Number(other) - Number(one))[0] : undefined
    if (!newest) throw new Error('PostgreSQL is not installed: run `scripts/setup tests`')
    this.programs = join(SERVERS, newest, 'bin')
    if (process.getuid?.() === 0) chownSync(this.scratch, Number(run('id', ['-u'])), Number(run('id', ['-g'])))
    const data = join(this.scratch, 'data')
    run(join(this.programs, 'initdb'), ['--auth=trust', '--no-sync', '--username=forebay', '--encoding=UTF8', '--locale=C', '--pgdata', data])
    appendFileSync(join(data, 'postgresql.conf'), `listen_addresses = ''\nunix_socket_directories = '${this.scratch}'\n`)
    this.control('start', '--log', join(this.scratch, 'log'))
  }

  private control(...words: string[]): void {
    run(join(this.programs, 'pg_ctl'), [...words, '--wait', '--silent', '--pgdata', join(this.scratch, 'data')])
  }

  /** Creates a pool with a program of Forebay, and returns the settings that name it. Its segments lie in a directory, or in the bucket of `elsewhere`. */
  pool(forebay: string, name: string, elsewhere?: { place: string; endpoint: string; keys: string }): string[] {
    const metadata = `postgres://forebay@${encodeURIComponent(this.scratch)}/postgres`
    const own = join(mkdtempSync(join(tmpdir(), 'forebay-segments-')), 'own')
    if (!elsewhere) mkdirSync(own)
    const place = elsewhere?.place ?? own
    const bucket = elsewhere ? ['endpoint', elsewhere.endpoint, 'credentials-file', elsewhere.keys] : []
    const options = (prefix: string) => bucket.map((word, at) => (at % 2 === 0 ? `--${prefix}${word}` : word))
    const made = spawnSync(forebay, ['pool', 'create', name, '--metadata', metadata, '--segments', place, ...options('')], { encoding: 'utf8' })
    if (made.status !== 0) throw new Error(`forebay pool create: ${made.stderr}`)
    return ['--pool-name', name, '--pool-metadata', metadata, '--pool-segments', place, ...options('object-store-')]
  }

  stop(): void {
    this.control('stop', '--mode=immediate')
    rmSync(this.scratch, { recursive: true, force: true })
  }
}
