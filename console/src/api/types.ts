// Names for the types of the API that pages use.
import type { components } from './schema'

type Schemas = components['schemas']

export type Role = Schemas['Role']
export type Who = Schemas['WhoView']
export type Health = Schemas['HealthView']
export type Pool = Schemas['PoolView']
export type Scrub = Schemas['ScrubView']
export type Efficiency = Schemas['EfficiencyView']
export type Check = Schemas['CheckView']
export type Job = Schemas['JobView']
export type Volume = Schemas['VolumeView']
export type NewVolume = Schemas['NewVolume']
export type VolumeEdit = Schemas['VolumeEdit']
export type Plan = Schemas['Plan']
export type NewClone = Schemas['NewClone']
export type Snapshot = Schemas['SnapshotView']
export type Client = Schemas['ClientView']
export type Session = Schemas['SessionView']
export type Nfs = Schemas['NfsView']
export type Open = Schemas['OpenView']
export type Lock = Schemas['LockView']
export type Operation = Schemas['OperationView']
export type Policy = Schemas['PolicyView']
export type Rule = Schemas['RuleView']
export type NewRule = Schemas['NewRule']
export type Event = Schemas['EventView']
export type Severity = Schemas['Severity']
export type User = Schemas['UserView']
export type Token = Schemas['TokenView']
export type TokenCreated = Schemas['TokenCreated']
export type NewToken = Schemas['NewToken']
export type ErrorView = Schemas['ErrorView']
export type LabReports = Schemas['LabReportsView']
export type LabReport = Schemas['LabReportView']
export type LabRun = Schemas['LabRunView']
export type LabPage = Schemas['LabPageView']
export type History = Schemas['HistoryView']

/** A list. `total` exceeds the number of items if the request had a limit. */
export interface List<T> {
  items: T[]
  total: number
}
