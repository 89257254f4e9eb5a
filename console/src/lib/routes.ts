// Maps paths to pages. Pure, so that it can be tested.

export const PAGES = ['overview', 'alerts', 'kafka', 'volumes', 'snapshots', 'buckets', 'clients', 'performance', 'events', 'exports', 's3-users', 's3-groups', 'pool', 'cluster', 'lab', 'users', 'settings', 'sizing', 'setup'] as const
export type PageName = (typeof PAGES)[number]

/** What the pages are called, in the order of the menu. */
export const NAMES: Record<PageName, string> = {
  overview: 'Overview', alerts: 'Alerts', kafka: 'Kafka', volumes: 'Volumes', snapshots: 'Snapshots', buckets: 'Buckets', clients: 'NFS clients',
  performance: 'Performance', events: 'Events', exports: 'Export policies', 's3-users': 'S3 users', 's3-groups': 'S3 groups', pool: 'Pool', cluster: 'Cluster', lab: 'Lab',
  users: 'Users and tokens', settings: 'Settings', sizing: 'Sizing', setup: 'Set up brokers',
}

export interface Route {
  page: PageName | 'missing'
  /** The object that the page shows, for example a volume's name. */
  item: string | null
}

/** Pages that have a page for each of their objects. */
const WITH_ITEMS: readonly string[] = ['volumes', 'buckets', 'clients', 'exports', 's3-users', 's3-groups', 'lab']

export function match(path: string): Route {
  const parts = path.split('/').filter((one) => one !== '')
  const [first, second] = parts
  if (first === undefined) return { page: 'overview', item: null }
  const page = PAGES.find((name) => name === first && name !== 'overview')
  if (!page || parts.length > 2 || (second !== undefined && !WITH_ITEMS.includes(page))) return { page: 'missing', item: null }
  return { page, item: second === undefined ? null : decoded(second) }
}

export function pathOf(page: PageName, item?: string): string {
  const path = page === 'overview' ? '/' : `/${page}`
  return item === undefined ? path : `${path}/${encodeURIComponent(item)}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
