// Example results of the lab, in the format of real runs, with pages that the lab generates from them.
import type { Daemon } from './daemon'

interface Check {
  title: string
  passed: boolean
  detail: string
}

function run(experiment: string, storage: string, why: string, minute: number, checks: Check[]) {
  return {
    format: 1, experiment, storage, profile: 'laptop', verdict: checks.every((check) => check.passed) ? 'pass' : 'fail', why,
    started_at: `2026-11-20T18:${String(minute).padStart(2, '0')}:00Z`, duration_ms: 94_000,
    versions: { forebay: '0.1.0', kafka: '4.1.0', linux: '6.1' }, settings: { brokers: 4, records: 300_000 },
    checks: checks.map((check, index) => ({ name: `check-${index}`, ...check })),
    figures: [{ name: 'brokers_ended', title: 'Brokers that ended', value: checks.filter((check) => !check.passed).length, unit: '' }],
    measurements: [], events: [], lanes: [], series: [], excerpts: [],
  }
}

/** An experiment on two storage systems, a run of several experiments with their comparison, and a truncated result. */
export function examples(daemon: Daemon): void {
  const lives = (passed: boolean): Check[] => [
    { title: 'No broker process ended', passed, detail: passed ? '4 of 4 live' : 'all 4 shut down' },
    { title: 'Every acknowledged record reads back once', passed: true, detail: '300000 of 300000' },
  ]
  const generic = run('silly-rename', 'knfsd-v3', 'All four brokers shut down when their old replicas were deleted.', 10, lives(false))
  const forebay = run('silly-rename', 'forebay', 'Every broker lives, and no .nfs file was left.', 12, lives(true))
  daemon.result('silly-rename-knfsd-v3-forebay', { format: 1, experiment: 'silly-rename', profile: 'laptop', verdict: 'fail', runs: [generic, forebay] })
  daemon.page('silly-rename-knfsd-v3-forebay', 'report.html')
  for (const [index, name] of ['restart', 'mount'].entries()) {
    daemon.result(`all-forebay/${name}`, run(name, 'forebay', 'Every check holds.', 30 + index, lives(true)))
    daemon.page(`all-forebay/${name}`, 'report.html')
  }
  daemon.page('all-forebay', 'report.html')
  daemon.page('all-forebay', 'compare.html')
  daemon.result('posix-forebay', '{"format": 1, "experiment": "pos')
}
