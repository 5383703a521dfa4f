// What the modules of the judge's page give each other, and what they find on it. For `tsc` alone, which
// checks them by their comments and this; no page loads it.

// --- What the server sends -------------------------------------------------------------------------

// A rank from 1 (best) to 5, or none.
type Label = number | null;

interface TextOf {
  text: string;
  lang: string;
  dir: string;
}

interface Candidate extends TextOf {
  id: string;
}

// A part of an output's text that differs from the others, or does not.
interface Run {
  text: string;
  differs: boolean;
}

// In how many lines the sentences of all outputs stand, and the cells of one of them.
interface Beside {
  count: number;
  cut(runs: Run[], index: number): Node[];
}

interface Neighbour {
  source: TextOf | null;
  reference: TextOf | null;
}

interface Context {
  before: Neighbour[];
  after: Neighbour[];
}

interface Languages {
  source: { lang: string; name: string };
  target: { lang: string; name: string };
}

interface Rules {
  // A ranking may leave outputs unranked.
  partial: boolean;
}

interface Judgment {
  labels: Label[];
  comment: string;
}

interface LentBlock {
  id: string;
  source: TextOf | null;
  references: TextOf[];
  // None where a text stands alone.
  context?: Context | null;
  candidates: Candidate[];
  state: "open" | "judged" | "skipped";
  judgment: Judgment | null;
  // While it is skipped.
  skip_reason?: string | null;
}

interface CountedProgress {
  done: number;
  wanted: number | null;
  minutes_left: number | null;
}

// Sentences done, seconds of active time.
interface Worked {
  sentences: number;
  active_seconds: number;
}

interface LentHit {
  id: string;
  revisable_hits: number;
  expires_at: string;
  rules: Rules;
  languages: Languages;
  progress: CountedProgress;
  notice: string;
  blocks: LentBlock[];
}

// A row of the judge's history.
interface JudgedBlock {
  assignment: string;
  position: number;
  total: number;
  judged_at: string;
  languages: Languages;
  rules: Rules;
  block: LentBlock;
}

interface PracticeFeedback {
  agrees: boolean;
  expected: string;
  explanation: string;
}

// `at` by the server's clock, `asked` by performance.now(). What `data` is depends on the status.
interface Answer<Data = any> {
  status: number;
  data: Data;
  at: number;
  asked: number;
}

// --- What the page keeps ---------------------------------------------------------------------------

interface Spent {
  durationMs: number;
  activeMs: number;
}

interface Block extends LentBlock, Judgment {
  // The id of its HIT, and its place there from 1.
  hit: string;
  position: number;
  // As it was submitted last; null as long as it was not.
  sent: Judgment | null;
  spent?: Spent;
}

interface Hit {
  id: string;
  // Those of the history have none.
  revisableHits: number;
  rules: Rules;
  languages: Languages;
  total: number;
  // By performance.now().
  endsAt: number;
  past?: boolean;
  dropped?: boolean;
  activeMs?: number;
  // As the server sent it, and by how much its clock was ahead of ours.
  lent?: LentHit;
  ahead?: number;
}

// A HIT in hand, kept on the device for when nobody can say what is lent.
interface KeptHit {
  data: LentHit;
  ahead: number;
}

// The HIT of each block on the page is there.
interface Hits extends Map<string, Hit> {
  get(id: string): Hit;
}

interface Draft extends Spent {
  labels: Record<string, Label>;
  comment: string;
  // Of what was submitted before, which stays as it is until this is.
  revises?: boolean;
}

type Kind = "judgments" | "skips" | "problem-reports";

// What is sent of a block; which fields, depends on the kind.
interface Submission {
  block: string;
  // The HIT in hand: the answer brings the next one along.
  after?: string;
  labels?: Label[];
  comment?: string;
  duration_ms?: number;
  active_ms?: number;
  reason?: string;
  kind?: string;
}

// One on its way; `refused` is why the server will not take it.
interface Item {
  id: string;
  kind: Kind;
  body: Submission;
  at: number;
  refused?: string;
}

// What the screen talks to: the server, or what the tour has in its place.
interface JudgingApi {
  user: string;
  whoIsSignedIn(): string | null;
  signedIn(user: string | null): void;
  assignment(after?: string): Promise<Answer>;
  submit(kind: Kind, id: string, body: Submission): Promise<Answer>;
  history(cursor: string | null): Promise<Answer>;
  workTime(): Promise<Answer>;
}

interface KeptDrafts {
  get(blockId: string): Draft | null;
  put(blockId: string, draft: Draft): void;
  remove(blockId: string): void;
}

interface Setup {
  user: string;
  // What the organisers call the judge.
  name: string;
  owner: string;
  sign_in: string;
  api: string;
  campaign: string;
  csrf_cookie: string;
  worker: string;
}

// --- The parts of the page, where one is given another ---------------------------------------------

type KeptHits = import("../../static/judge/reload.js").KeptHits;
type Layout = import("../../static/judge/layout.js").Layout;
type Outbox = import("../../static/judge/outbox.js").Outbox;
type Page = import("../../static/judge/page.js").Page;
type Progress = import("../../static/judge/progress.js").Progress;
type Queue = import("../../static/judge/queue.js").Queue;
type Rows = import("../../static/judge/block.js").Rows;
type Status = import("../../static/judge/status.js").Status;
type Tiers = import("../../static/judge/later/tiers.js").Tiers;
type WorkTime = import("../../static/judge/later/worktime.js").WorkTime;

// --- What they tell each other ---------------------------------------------------------------------

interface OutboxEvents {
  change: undefined;
  sent: { item: Item; answer: any; at: number; asked: number };
  refused: { item: Item; answer: any };
}

interface QueueEvents {
  progress: CountedProgress;
  notice: string;
}

interface PageEvents {
  shown: undefined;
  ranked: undefined;
  done: { block: Block; kind: Kind };
  unsent: { to: Block | undefined };
}

interface TellerOf<Events> extends Omit<EventTarget, "addEventListener"> {
  addEventListener<Name extends keyof Events & string>(
    name: Name,
    listener: (event: CustomEvent<Events[Name]>) => void,
    options?: AddEventListenerOptions,
  ): void;
}

// For `class … extends`: an EventTarget of which it is known what it tells.
type Tells<Events> = new () => TellerOf<Events>;

// --- What is on the page ---------------------------------------------------------------------------

interface TemplateOfOne extends HTMLTemplateElement {
  readonly content: DocumentFragment & {
    firstElementChild: HTMLElement & { cloneNode(deep: true): HTMLElement };
  };
}

type PlainId =
  | "announcement"
  | "back"
  | "break"
  | "break-dismiss"
  | "break-take"
  | "break-text"
  | "columns"
  | "columns-word"
  | "comment-open"
  | "comment-part"
  | "context"
  | "context-word"
  | "count"
  | "dashboard"
  | "differences"
  | "discard"
  | "dock"
  | "feedback-explanation"
  | "feedback-order"
  | "feedback-texts"
  | "feedback-title"
  | "foot"
  | "given"
  | "history"
  | "history-list"
  | "history-more"
  | "history-state"
  | "languages"
  | "live-announcement"
  | "live-state"
  | "look-again"
  | "minutes"
  | "missing"
  | "more"
  | "more-menu"
  | "notice"
  | "notice-text"
  | "order"
  | "order-words"
  | "outputs"
  | "panel"
  | "preview-bar"
  | "preview-said"
  | "preview-words"
  | "pause-uncounted"
  | "reference-part"
  | "report"
  | "report-cancel"
  | "report-problem"
  | "rest"
  | "rest-back"
  | "rest-history"
  | "rest-instructions"
  | "rest-more"
  | "rest-text"
  | "rest-title"
  | "rows"
  | "sentence"
  | "setup"
  | "show-keys"
  | "show-settings"
  | "sign-in-cancel"
  | "sign-in-here"
  | "sign-in-problem"
  | "skip"
  | "skip-cancel"
  | "skip-problem"
  | "skipped"
  | "source"
  | "source-part"
  | "status"
  | "submit"
  | "submit-word"
  | "texts"
  | "tiers"
  | "tiers-word"
  | "tour-answer"
  | "tour-end"
  | "tour-next"
  | "tour-said"
  | "tour-step"
  | "tour-task"
  | "uncounted"
  | "words"
  | "worked-today"
  | "worked-total";

// By id: what the templates have.
interface Elements extends Record<PlainId, HTMLElement> {
  bar: HTMLProgressElement;
  "break-after": HTMLSelectElement;
  comment: HTMLTextAreaElement;
  "feedback-dialog": HTMLDialogElement;
  headline: HTMLElement | null;
  "history-dialog": HTMLDialogElement;
  "keys-dialog": HTMLDialogElement;
  letters: HTMLInputElement;
  "notice-link": HTMLAnchorElement;
  "own-link-dismiss": HTMLElement | null;
  "own-link-offer": HTMLElement | null;
  "own-link-take": HTMLElement | null;
  "pause-dialog": HTMLDialogElement;
  "report-comment": HTMLTextAreaElement;
  "report-dialog": HTMLDialogElement;
  "report-form": HTMLFormElement;
  "rest-completion": HTMLElement | null;
  "row-template": TemplateOfOne;
  "settings-dialog": HTMLDialogElement;
  "sign-in-dialog": HTMLDialogElement;
  "sign-in-form": HTMLFormElement;
  "sign-in-link": HTMLInputElement;
  "skip-comment": HTMLTextAreaElement;
  "skip-dialog": HTMLDialogElement;
  "skip-form": HTMLFormElement;
  spacing: HTMLSelectElement;
  "text-size": HTMLSelectElement;
  "tier-template": TemplateOfOne;
  "unsent-dialog": HTMLDialogElement;
}

// By selector: what is certainly there, and what may be.
interface Parts {
  b: HTMLElement;
  button: HTMLButtonElement;
  "dialog[open]": HTMLDialogElement | null;
  input: HTMLInputElement;
  "input:checked": HTMLInputElement | null;
  ".row-letter": HTMLElement;
  ".row-letter b": HTMLElement;
  ".row-text": HTMLElement;
  ".tier-name": HTMLElement;
  ".tier-rows": HTMLElement;
  "[role=status]": HTMLElement;
}

interface Document {
  getElementById<Id extends keyof Elements>(id: Id): Elements[Id];
}

interface ParentNode {
  querySelector<Selector extends keyof Parts>(selector: Selector): Parts[Selector];
}

type ById = <Id extends keyof Elements>(id: Id) => Elements[Id];
