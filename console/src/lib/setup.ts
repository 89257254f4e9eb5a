// Turns the answers on the setup page into rules, volumes, and the lines of each broker's files. `forebay setup` does the same.
import type { Client, Lock, NewRule, NewVolume, Nfs, Open, Plan, Policy, Volume, VolumeEdit } from '../api/types'
import { plain } from './policy'
import { optionalBytes } from './quantity'

export const POLICY = 'brokers'
const VOLUME = 'kafka'
/** For the brokers' user and group only. */
const MODE = '0750'
const BROKERS_MAX = 1000
const ID_MAX = 2 ** 32 - 2

export const LAYOUTS = [['volumes', 'a volume for each broker'], ['folders', 'one volume, a folder for each broker']] as const
export const TLS = [['off', 'no'], ['on', 'yes']] as const
export type Layout = (typeof LAYOUTS)[number][0]

/** The fields of the page. */
export interface Answers {
  brokers: string
  squash: 'none' | 'root' | 'all'
  tls: 'on' | 'off'
  layout: Layout
  uid: string
  gid: string
  size: string
  daily: string
  mount: string
}

export const USUAL: Answers = { brokers: '', squash: 'root', tls: 'off', layout: 'volumes', uid: '1000', gid: '1000', size: '', daily: '0', mount: '/var/lib/kafka' }

/** The answers in the address of the page, so that it can be reloaded while brokers are being configured. */
export function answersIn(query: URLSearchParams): Answers {
  const of = <T extends string>(key: keyof Answers, allowed: readonly T[]) => allowed.find((one) => one === query.get(key)) ?? (USUAL[key] as T)
  const text = (key: keyof Answers) => query.get(key) ?? USUAL[key]
  return {
    brokers: text('brokers'), uid: text('uid'), gid: text('gid'), size: text('size'), daily: text('daily'), mount: text('mount'),
    squash: of('squash', ['none', 'root', 'all']), tls: of('tls', ['off', 'on']), layout: of('layout', ['volumes', 'folders']),
  }
}

/** A broker, and where its data is. */
export interface Broker {
  number: number
  host: string
  volume: string
  /** The directory of its log below the mount. */
  folder: string
}

export const hostsOf = (text: string) => text.split(/[\s,]+/).filter((one) => one !== '')

export function problemsOf(answers: Answers): Record<'brokers' | 'uid' | 'gid' | 'size' | 'daily' | 'mount', string | null> {
  const hosts = hostsOf(answers.brokers)
  const strange = hosts.find((host) => host === '*' || host.includes('/'))
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index)
  const id = (text: string) => (/^[0-9]+$/.test(text) && Number(text) <= ID_MAX ? null : 'Enter a number; `id kafka` shows it.')
  return {
    brokers:
      hosts.length === 0 ? 'Enter the host name or address of each broker.'
      : hosts.length > BROKERS_MAX ? `At most ${BROKERS_MAX} brokers.`
      : strange !== undefined ? `${strange}: enter single machines. To allow a network, edit the export policy.`
      : twice !== undefined ? `${twice} is named twice.`
      : null,
    uid: id(answers.uid),
    gid: id(answers.gid),
    size: optionalBytes(answers.size) === undefined ? 'Enter a size such as 500 GiB. Leave empty for no limit.' : null,
    daily: /^[0-9]{1,4}$/.test(answers.daily) ? null : 'Enter a number; 0 for none.',
    mount: /^(\/[A-Za-z0-9_.-]+)+$/.test(answers.mount) ? null : 'Enter an absolute path without spaces.',
  }
}

export function brokersOf(answers: Answers): Broker[] {
  return hostsOf(answers.brokers).map((host, index) => {
    const number = index + 1
    return answers.layout === 'volumes' ? { number, host, volume: `${VOLUME}-${number}`, folder: 'data' } : { number, host, volume: VOLUME, folder: `broker-${number}` }
  })
}

/** The rules of the policy: those of the brokers, then those that are there for others. */
export function rulesOf(answers: Answers, existing: Policy | undefined): NewRule[] {
  const hosts = hostsOf(answers.brokers)
  const own = hosts.map((clients): NewRule => ({ clients, access: 'rw', squash: answers.squash, tls: answers.tls === 'on' ? 'required' : 'optional' }))
  return [...own, ...(existing?.rules ?? []).filter((rule) => !hosts.includes(rule.clients)).map(plain)]
}

const isEmpty = (volume: Volume) => volume.inodes_used <= 1

/** Whether nothing was stored yet: nobody has set anything up. */
export const isNew = (volumes: Volume[]) => volumes.every((volume) => volume.name === VOLUME && isEmpty(volume))

export type Step = { volume: string; create: NewVolume } | { volume: string; change: VolumeEdit }

/** What is done to the volumes. The owner of a volume that has files stays. */
export function stepsOf(answers: Answers, there: Volume[]): Step[] {
  const owner = { uid: Number(answers.uid), gid: Number(answers.gid), mode: MODE }
  const snapshots: Plan = { hourly: 0, daily: Number(answers.daily), weekly: 0 }
  const wanted = { size: optionalBytes(answers.size) ?? null, snapshots, export: POLICY }
  const names = [...new Set(brokersOf(answers).map((broker) => broker.volume))]
  const steps = names.map((volume): Step => {
    const existing = there.find((one) => one.name === volume)
    if (!existing) return { volume, create: { name: volume, ...owner, ...wanted } }
    return { volume, change: isEmpty(existing) ? { ...owner, ...wanted } : wanted }
  })
  const left = there.find((one) => one.name === VOLUME && one.export === 'default' && isEmpty(one) && !names.includes(one.name))
  return left ? [...steps, { volume: left.name, change: { export: POLICY } }] : steps
}

/** The line of a broker's /etc/fstab. */
export function fstabOf(answers: Answers, source: string, nfs: Nfs): string {
  const tls = answers.tls === 'on' ? ',xprtsec=tls' : ''
  return `${source}  ${answers.mount}  nfs  ${nfs.options}${tls},_netdev  0  0`
}

/** The line of a broker's server.properties. */
export const propertiesOf = (answers: Answers, broker: Broker) => `log.dirs=${answers.mount}/${broker.folder}`

/** How far a broker has come. */
export type Stage = 'missing' | 'mounted' | 'locked' | 'writes'
export const STAGES: Record<Stage, string> = { missing: 'not seen yet', mounted: 'mounted', locked: 'mounted, log directory locked', writes: 'mounted, locked, writes' }

export interface Seen {
  clients: Client[]
  opens: Open[]
  locks: Lock[]
}

const LOCK = '.lock'
/** The address of a client without its port, and without the brackets of IPv6. */
const addressOf = (client: Client) => client.address?.replace(/:[0-9]+$/, '').replace(/^\[(.*)\]$/, '$1')

/** `path` is what the broker mounts. */
export function stageOf(broker: Broker, path: string, seen: Seen): Stage {
  const below = `${path.replace(/\/+$/, '')}/${broker.folder}/`
  const inLog = (file: { path?: string | null }) => (file.path?.startsWith(below) ? file.path.slice(below.length) : null)
  const holder = seen.locks.find((lock) => inLog(lock) === LOCK)
  if (holder) {
    const hasLog = seen.opens.some((open) => open.client === holder.client && open.access.includes('w') && ![null, LOCK].includes(inLog(open)))
    const hasWritten = seen.clients.some((client) => client.client === holder.client && client.bytes_written > 0)
    return hasLog || hasWritten ? 'writes' : 'locked'
  }
  return seen.clients.some((client) => addressOf(client) === broker.host) || seen.opens.some((open) => inLog(open) !== null) ? 'mounted' : 'missing'
}
