// What the modules of the judge's page give each other, and what they find on it. For `tsc` alone, which
// checks them by their comments and this; no page loads it.

// --- What the server sends -------------------------------------------------------------------------

// A rank from 1 (best) to 5, or none.
type Label = number | null;

interface TextOf {
  text: string;
  lang: string;
  // Missing in texts that the page composes.
  dir?: "ltr" | "rtl" | "auto";
  // Files shown below the text.
  media?: MediaFile[];
}

interface MediaFile {
  kind: "image" | "audio" | "video";
  address: string;
}

interface Candidate extends TextOf {
  id: string;
  // Errors that the answer starts from.
  suggested?: Span[];
}

// A part of an output's text that differs from the others, or does not.
interface Run {
  text: string;
  differs: boolean;
}

// In how many lines the sentences of all outputs stand, and the cells of one of them.
interface Beside {
  count: number;
  // The text of each output, cut into these lines.
  lines: string[][];
  // The source in the same lines, or the reference where no source is shown.
  compared: Compared | null;
  cut(runs: Run[], index: number): Node[];
}

interface Compared {
  text: TextOf;
  lines: string[];
}

interface Neighbour {
  source: TextOf | null;
  reference: TextOf | null;
  output: TextOf | null;
}

// Segments of a document from number `first` on, and where blocks of a HIT are among them; all `total` are known, or 0.
interface WholeDocument {
  segments: Neighbour[];
  first: number;
  total: number;
  blocks: Record<string, number>;
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
  // The organiser’s question; absent if the protocol’s applies.
  question?: string;
  // Of ratings: the criteria of the HIT, and the only one where each has a pass.
  criteria?: Criterion[];
  criterion?: string;
  // Only the ends of scales have texts on the page.
  only_ends_named?: boolean;
  // All blocks of the HIT are on one page.
  page?: "document";
  // A ranking may leave outputs unranked.
  partial?: boolean;
  // Each answer is explained, and none counts.
  practice?: boolean;
  // Of two outputs that tie it is said whether both are fine or both are wrong.
  four_answers?: boolean;
  // Of several outputs, the best and the worst are chosen.
  best_worst?: boolean;
  // Errors are marked, not only scores given.
  spans_asked?: boolean;
  // Outputs are scored, not only errors marked.
  scored?: boolean;
  // It is said whether something is missing.
  missing?: boolean;
  // Errors are marked in the source, too.
  source_marked?: boolean;
  // Names of special marks without a position.
  marks?: string[];
  severities?: Severity[];
  // Categories of errors to choose from, and whether others may be entered.
  categories?: string[];
  free_categories?: boolean;
  // Of blind editing: an edit, or whether somebody else's is acceptable.
  asked?: "edit" | "accept";
  // Of a quiz: statements about a snippet, and the block with which they are asked.
  statements?: string[];
  asked_with?: string;
  // When a score contradicts the errors.
  contradictions?: ContradictionRule;
}

// A criterion of a rating, in the language of the page; `{language}` stands for the target language.
interface Criterion {
  key: string;
  name: string;
  question: string;
  lowest: number;
  highest: number;
  lower_is_better: boolean;
  // The texts of points, by value.
  labels: Record<string, string>;
}

interface ContradictionRule {
  error_free_from: number;
  perfect_from: number;
  major_below: number;
  margin: number;
}

type Verdict = "first" | "same" | "second" | "both_fine" | "both_wrong";

// The fields of an answer, as they are sent and stored: labels of a ranking, `answer` of all others.
interface Stored {
  labels?: Label[];
  answer?: any;
}

interface Judgment extends Stored {
  id?: string;
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
  // None is ranking.
  protocol?: string;
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
  protocol?: string;
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
  // Of a 204 answer: why there is no more work.
  reason?: string | null;
}

// --- What the page keeps ---------------------------------------------------------------------------

interface Spent {
  durationMs: number;
  activeMs: number;
}

interface RatingAnswer {
  // Of each output, the values by criterion.
  outputs: Record<string, number>[];
}

interface RankingAnswer {
  labels: Label[];
}

interface TwoOutputsAnswer {
  verdict: Verdict | null;
}

interface TopAnswer {
  // Of each output, whether it is at the top; of best-worst scaling, whether it is the best.
  top: boolean[];
  // The index of the worst output, if one is marked.
  worst?: number;
}

type EditOutcome = "edited" | "unchanged" | "unable";

interface EditingAnswer {
  // Of an edit.
  outcome: EditOutcome | null;
  // What came out, where it was edited.
  text: string | null;
  // Changes of the text while it was edited.
  keystrokes: number;
  // Of somebody else's edit.
  acceptable: boolean | null;
}

// Of a statement; empty before it is answered.
type QuizChoice = "yes" | "no" | "unsure" | "";

interface QuizAnswer {
  // Of each statement; none before the block was shown.
  given: QuizChoice[] | null;
}

type Severity = "neutral" | "minor" | "major" | "critical";

interface Span {
  // `error` in the output, `source` in the source; `missing` and special marks have no position.
  kind: string;
  // From one code point of the text up to another.
  start: number | null;
  end: number | null;
  severity: Severity;
  // On one or two levels, as in Accuracy/Addition; none if it was not chosen.
  category?: string;
}

// A category in a list, and those below it.
interface Level {
  name: string;
  // As it is stored; empty if only those below it can be chosen.
  category: string;
  below: Level[];
}

interface OutputSaid {
  score: number | null;
  spans: Span[];
}

interface SpansAnswer {
  outputs: OutputSaid[];
}

// A part of a text, as scripts count: in UTF-16.
interface Stretch {
  start: number;
  end: number;
}

// What looks alike in an output's text.
interface Piece extends Stretch {
  text: string;
  // The place of its error among the output's spans, if it has one.
  span: number | null;
  severity: Severity | null;
  differs: boolean;
  // Where the word cursor is, or what is selected.
  chosen: boolean;
}

// What a judge says of a block; the shape of `answer` is its protocol's.
interface Said<OneAnswer = any> {
  answer: OneAnswer;
  comment: string;
}

interface Block<OneAnswer = any> extends LentBlock, Said<OneAnswer> {
  // The id of its HIT, and its place there from 1.
  hit: string;
  position: number;
  // As it was submitted last; null as long as it was not.
  sent: Said<OneAnswer> | null;
  // The id of the judgment that it shows, if it is judged.
  judgmentId?: string | null;
  spent?: Spent;
}

interface Hit {
  id: string;
  protocol: string;
  // Those of the history have none.
  revisableHits: number;
  rules: Rules;
  languages: Languages;
  total: number;
  // By performance.now().
  endsAt: number;
  past?: boolean;
  dropped?: boolean;
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

// With what its protocol keeps of an answer, which names candidates by id.
interface Draft extends Spent {
  comment: string;
  // Of what was submitted before, which stays as it is until this is.
  revises?: boolean;
  answer: any;
}

type Kind = "judgments" | "skips" | "problem-reports";

// What the page has when it asks for the next HIT: the last of its HITs and, if more are to be kept ahead, all of them.
interface InHand {
  after?: string;
  in_hand?: string[];
}

// What is sent of a block; which fields, depends on the kind. With a HIT in hand, the answer brings the next one along.
interface Submission extends Stored, InHand {
  block: string;
  comment?: string;
  // The id of the judgment that this one replaces, null for none.
  replaces?: string | null;
  duration_ms?: number;
  active_ms?: number;
  // The played share of each output, null for those that cannot be played.
  played?: (number | null)[];
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

// What the page talks to.
interface JudgingApi {
  user: string;
  whoIsSignedIn(): string | null;
  signedIn(user: string | null): void;
  assignment(inHand?: InHand): Promise<Answer>;
  submit(kind: Kind, id: string, body: Submission): Promise<Answer>;
  history(cursor: string | null): Promise<Answer>;
  workTime(): Promise<Answer>;
  wholeDocument(block: string): Promise<Answer<WholeDocument> | null>;
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
  has_documents?: boolean;
  // Until the time of a panel's study is over.
  seconds_left?: number | null;
  // The modules of the campaign's screens, by protocol.
  screens: Record<string, string>;
}

// --- Protocols ---------------------------------------------------------------------------------------

// One of the page's words, and what is put into it.
interface Phrase {
  key: string;
  values?: Record<string, any>;
}

// What an answer of one protocol is. Pure: it knows no page, and changes nothing it is given.
interface AnswerOf<OneAnswer = any> {
  // Before anything is said.
  blank(candidates: number, shownCandidates?: Candidate[]): OneAnswer;
  // From what the server stores or what was submitted; blank where that has none.
  read(stored: Stored, candidates: number): OneAnswer;
  // Whether both say the same.
  same(one: OneAnswer, other: OneAnswer): boolean;
  // Whether anything is said yet.
  begun(answer: OneAnswer, shownCandidates?: Candidate[]): boolean;
  // What is missing under the HIT's rules, to be said; null where it may be submitted.
  lack(answer: OneAnswer, rules: Rules): Phrase | null;
  // What the foot says of it so far, if anything.
  hint?(answer: OneAnswer, rules: Rules): Phrase | null;
  // Its fields in a submission's body; `read` takes them back.
  fields(answer: OneAnswer): Stored;
  // What the history says of it.
  summary(answer: OneAnswer, rules: Rules): Phrase | string;
  // The errors in the text of an output, if they are marked.
  errorsIn?(answer: OneAnswer, index: number): Span[];
  // The HIT's rules, with what the server's refusal tells of them.
  rulesAfter?(rules: Rules, refusal: { missing?: string[] } | null): Rules;
}

type Pressed = KeyboardEvent & { target: HTMLElement };
// What a key does; false leaves the key to the browser.
type Action = () => unknown;

// What shows the outputs of one protocol's blocks and takes their answers. It changes its block's answer and tells the
// page by `answered` or `conclude`.
interface ProtocolScreen<OneAnswer = any> {
  answers: AnswerOf<OneAnswer>;
  // Whether an answer is submitted as it is given: a blank block needs no button for that.
  submitsAtOnce: boolean;
  // The key that submits from the outputs, if it is not Enter.
  submitKey?: string;
  // The names of its keys that do something now, as in its rows of the list of keys.
  keys: string[];
  // Whether `introduce` says the question.
  asksAloud?: boolean;
  // What is asked of the block shown, in one line above its outputs.
  question: string;
  // How the outputs stand on the page; without it, below each other.
  layout?: string;
  // Whether there is nothing to compare an output with.
  isOfOneOutputAlone?: boolean;
  // Takes its place on the page, before the first of its blocks in a row.
  enter?(): void;
  // Leaves the page to another screen; the page itself clears the outputs.
  leave?(): void;
  // Shows the outputs of a block, and what was answered.
  show(block: Block<OneAnswer>): void;
  // Shows what has become of the answer of its block, also where the page changed it.
  showAnswer(): void;
  // Highlights where the outputs of its block differ, or no longer if null; one output differs from none.
  showDifferences?(runs: Run[][] | null): void;
  // Has words heard with what gets the focus next.
  introduce(words: string): void;
  // Gives the focus to where the judge goes on.
  focus(options?: FocusOptions): void;
  // Gives the focus back to where it was among the outputs.
  resume(): void;
  // What the judge began and that is no part of the answer yet; it is asked about before anything that would lose it.
  unfinished?(): Phrase | null;
  // What Enter does before it submits; false if nothing.
  goOnFrom?(): boolean;
  // Marks what is missing or unfinished, and goes there.
  refuse(): void;
  // Whether it asks something first, before an answer that lacks nothing is submitted; `go` then submits it.
  asks?(go: () => void): boolean;
  // What an arrow key does, without Shift or with it.
  arrow(event: Pressed): Action | null;
  // What a single key does that is no letter; also where letters are switched off and the focus is on an output.
  single(event: Pressed): Action | null;
  // What a letter does, before those of the page.
  letter(letter: string, event: Pressed): Action | null;
}

// The module of a screen.
interface ScreenModule {
  answers: AnswerOf;
  open(page: Page): ProtocolScreen;
}

// --- The parts of the page, where one is given another ---------------------------------------------

type Drafts = import("../../static/judge/store.js").Drafts;
type KeptHits = import("../../static/judge/reload.js").KeptHits;
type Layout = import("../../static/judge/ranking/layout.js").Layout;
type Outbox = import("../../static/judge/outbox.js").Outbox;
type Page = import("../../static/judge/page.js").Page;
type Progress = import("../../static/judge/progress.js").Progress;
type Queue = import("../../static/judge/queue.js").Queue;
type RankingScreen = import("../../static/judge/ranking/screen.js").RankingScreen;
type Rows = import("../../static/judge/ranking/rows.js").Rows;
type SpansScreen = import("../../static/judge/spans/screen.js").SpansScreen;
type SpansOutput = import("../../static/judge/spans/output.js").Output;
type Screens = import("../../static/judge/screens.js").Screens;
type Status = import("../../static/judge/status.js").Status;
type Tiers = import("../../static/judge/ranking/later/tiers.js").Tiers;
type WorkTime = import("../../static/judge/later/worktime.js").WorkTime;

// --- What they tell each other ---------------------------------------------------------------------

interface OutboxEvents {
  change: undefined;
  sent: { item: Item; answer: any; at: number; asked: number };
  refused: { item: Item; answer: any };
  elsewhere: { item: Item; answer: any };
}

interface QueueEvents {
  progress: CountedProgress & { asked: number };
  notice: string;
  dropped: undefined;
}

interface PageEvents {
  shown: undefined;
  answered: undefined;
  done: { block: Block; kind: Kind };
  unsent: { to: Block | undefined };
  altered: undefined;
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
  | "count"
  | "dashboard"
  | "differences"
  | "discard"
  | "dock"
  | "document"
  | "document-list"
  | "document-note"
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
  | "notice-dismiss"
  | "too-different"
  | "notice-text"
  | "order"
  | "order-words"
  | "outputs"
  | "main"
  | "panel"
  | "points-help"
  | "preview-bar"
  | "preview-said"
  | "preview-words"
  | "pause-uncounted"
  | "reference-part"
  | "report"
  | "report-cancel"
  | "report-problem"
  | "question"
  | "rest"
  | "rest-again"
  | "rest-back"
  | "rest-buttons"
  | "rest-history"
  | "rest-instructions"
  | "rest-more"
  | "rest-questions"
  | "rest-slow"
  | "rest-text"
  | "rest-thanks"
  | "rest-title"
  | "rows"
  | "scale"
  | "sentence"
  | "setup"
  | "show-keys"
  | "show-settings"
  | "sign-in-cancel"
  | "sign-in-here"
  | "sign-in-problem"
  | "signed-out"
  | "skip"
  | "skip-cancel"
  | "skip-problem"
  | "skipped"
  | "span-choice"
  | "source"
  | "source-part"
  | "status"
  | "segment"
  | "segment-title"
  | "segments-after"
  | "segments-before"
  | "submit"
  | "submit-word"
  | "submit-key"
  | "severities-help"
  | "texts"
  | "tiers"
  | "tiers-word"
  // removed
  | "uncounted"
  | "words"
  | "worked-today"
  | "worked-total";

// By id: what the templates have.
interface Elements extends Record<PlainId, HTMLElement> {
  bar: HTMLProgressElement;
  "break-after": HTMLSelectElement;
  comment: HTMLTextAreaElement;
  "document-dialog": HTMLDialogElement;
  "answer-template": TemplateOfOne;
  "editing-template": TemplateOfOne;
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
  "rest-last-questions": HTMLElement | null;
  "row-template": TemplateOfOne;
  "segment-template": TemplateOfOne;
  "settings-dialog": HTMLDialogElement;
  "sign-in-dialog": HTMLDialogElement;
  "sign-in-form": HTMLFormElement;
  "sign-in-link": HTMLInputElement;
  "skip-comment": HTMLTextAreaElement;
  "skip-dialog": HTMLDialogElement;
  "skip-form": HTMLFormElement;
  spacing: HTMLSelectElement;
  "spans-asked": HTMLElement;
  "spans-change": HTMLElement;
  "spans-dialog": HTMLDialogElement;
  "spans-hint-template": TemplateOfOne;
  "spans-item-template": TemplateOfOne;
  "spans-mark-template": TemplateOfOne;
  "spans-compared-template": TemplateOfOne;
  "spans-output-template": TemplateOfOne;
  "text-size": HTMLSelectElement;
  "quiz-statement-template": TemplateOfOne;
  "quiz-template": TemplateOfOne;
  "rating-output-template": TemplateOfOne;
  "rating-scale-template": TemplateOfOne;
  "rating-slider-template": TemplateOfOne;
  "tier-template": TemplateOfOne;
  "top-row-template": TemplateOfOne;
  "two-outputs-template": TemplateOfOne;
  "unsent-dialog": HTMLDialogElement;
  "altered-dialog": HTMLDialogElement;
  "verdicts-template": TemplateOfOne;
}

// By selector: what is certainly there, and what may be.
interface Parts {
  b: HTMLElement;
  button: HTMLButtonElement;
  kbd: HTMLElement;
  ".answer-word": HTMLElement;
  ".answers": HTMLElement;
  ".edit-field": HTMLTextAreaElement;
  ".edit-question": HTMLElement;
  ".edit-shown": HTMLElement;
  ".output-name": HTMLElement;
  ".quiz-asked": HTMLElement;
  ".quiz-onward": HTMLElement;
  ".quiz-question": HTMLElement;
  ".quiz-statements": HTMLElement;
  ".quiz-text": HTMLElement;
  ".quiz-words": HTMLElement;
  ".output-text": HTMLElement;
  ".item-open": HTMLElement;
  ".segment-beside": HTMLElement;
  ".segment-open": HTMLElement;
  ".segment-outputs": HTMLElement;
  ".segment-state": HTMLElement;
  ".item-remove": HTMLElement;
  ".marked-list": HTMLElement;
  ".marking": HTMLElement;
  ".marking-text": HTMLElement;
  ".mark-word": HTMLElement;
  ".by-character": HTMLElement;
  ".score-field": HTMLInputElement;
  ".score-slider": HTMLInputElement;
  ".tap-hint": HTMLElement;
  ".word-cursor": HTMLElement;
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
