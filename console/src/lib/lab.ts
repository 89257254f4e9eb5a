// What the lab's reports are called, and how they are chosen from.
import type { LabReport, LabRun } from '../api/types'

export type Wanted = 'all' | 'pass' | 'fail' | 'problem'

/** What a report is called. */
export function title(report: LabReport): string {
  if (report.experiment) return report.experiment
  if (report.kind === 'all') return 'All experiments'
  return report.kind === 'comparison' ? 'Side by side' : report.folder || 'A result'
}

/** The runs that a report is about: its own, or those of the reports below its folder. */
export function runsOf(report: LabReport, all: readonly LabReport[]): LabRun[] {
  if (report.kind === 'run') return report.runs
  const below = report.folder === '' ? '' : `${report.folder}/`
  return all.filter((one) => one.kind === 'run' && one.folder.startsWith(below)).flatMap((one) => one.runs)
}

/** Whether a report is wanted: by what came of it, and by any of its words. */
export function isWanted(report: LabReport, runs: readonly LabRun[], wanted: Wanted, text: string): boolean {
  const verdict = runs.some((run) => run.verdict === 'fail') ? 'fail' : runs.length > 0 ? 'pass' : null
  if (wanted === 'problem' ? report.problem === null : wanted !== 'all' && wanted !== verdict) return false
  const words = [title(report), report.folder, report.problem ?? '', ...report.runs.flatMap((run) => [run.storage, run.profile, run.why])]
  return words.join(' ').toLowerCase().includes(text.toLowerCase())
}

/** How long a report's runs took together, in seconds; null without one. */
export function took(runs: readonly LabRun[]): number | null {
  return runs.length === 0 ? null : runs.reduce((sum, run) => sum + run.duration_ms, 0) / 1000
}
