--------------------------------- MODULE Tail ---------------------------------
(***************************************************************************)
(* The lanes of one relay share the reads of the tail.  A lane reads by    *)
(* itself until it follows the tail; then it takes the steps of the tail,  *)
(* until it leaves.  This module assumes what Settling.tla shows: the      *)
(* writer of an id that was found missing is among those of the next       *)
(* observation.  README.md relates the model to the code.                  *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, Sequences, TLC

CONSTANTS
    Lanes,
    MaxId,          \* maximum number of messages, each of a transaction of its own
    Before,         \* number of those that are committed at first
    SameKey,        \* ids of one key; each other id has a key of its own
    Limit,          \* maximum number of rows of a read
    Steps,          \* maximum number of steps that are kept
    Parts,          \* whether lanes may take a part of a step
    Dropped         \* rules that do not hold in this run: {} in the true model

Rules == {
    "a lane takes the steps of all reads that end after its own read began",
    "a lane joins after it has read all",
    "a read of a lane counts only if the tail had begun before",
    "a lane that joins without a read joins between the reads of the tail",
    "a lane joins while it does not read",
    "a lane that joins is missing what lies between its position and that of the tail",
    "the tail is missing what the lanes that joined are missing",
    "the tail reads gaps and new messages from one snapshot",
    "a lane ignores what it has taken",
    "a lane takes each step",
    "a lane that has left takes no step"}

ASSUME Dropped \subseteq Rules

Holds(rule) == rule \notin Dropped

VARIABLES
    visible, undone,    \* the outbox: committed and rolled back ids
    last,               \* the last id that was drawn
    begun,              \* whether lanes follow the tail
    position, missing,  \* the tail
    ended,              \* ids that the tail is missing whose writers had ended at an observation since
    read,               \* the read of the tail that is under way
    steps,              \* the last steps, without those that no lane needs
    lane,
    repeated            \* a lane has taken a message twice

outbox == <<visible, undone, last>>
progress == <<begun, position, missing, ended>>
vars == <<outbox, progress, read, steps, lane, repeated>>

Ids == 1..MaxId
Never == MaxId + 1      \* above every id
Key(id) == IF id \in SameKey THEN 0 ELSE id
Highest(ids) == CHOOSE id \in ids : \A other \in ids : other <= id
First(ids, n) == {id \in ids : Cardinality({other \in ids : other < id}) < n}

(* state: "new", "alone" (it reads by itself) or "following".  read: "none", "asked" (a read of its own is under way, with the *)
(* position and missing ids of from and lookups) or "all" (the last read has returned all).                                   *)
(* ahead: number of the last steps that it has not taken, since its own read began; Lost: some are not kept.                  *)
Lost == Steps + 1
NewLane == [state |-> "new", position |-> 0, missing |-> {}, delivered |-> {}, read |-> "none", from |-> 0, lookups |-> {}, ahead |-> 0]
NoRead == [state |-> "none", from |-> 0, lookups |-> {}, rows |-> {}, coveredTo |-> 0]

Init ==
    /\ visible = 1..Before
    /\ undone = {}
    /\ last = Before
    /\ begun = FALSE
    /\ position = 0
    /\ missing = {}
    /\ ended = {}
    /\ read = NoRead
    /\ steps = <<>>
    /\ lane = [l \in Lanes |-> NewLane]
    /\ repeated = FALSE

-----------------------------------------------------------------------------
(* Transactions; those of one key take turns. *)

Open == (1..last) \ (visible \cup undone)

Draw ==
    /\ last < MaxId
    /\ \A id \in Open : Key(id) # Key(last + 1)
    /\ last' = last + 1
    /\ UNCHANGED <<visible, undone, progress, read, steps, lane, repeated>>

End(id) ==
    /\ id \in Open
    /\ \/ visible' = visible \cup {id} /\ undone' = undone
       \/ undone' = undone \cup {id} /\ visible' = visible
    /\ UNCHANGED <<last, progress, read, steps, lane, repeated>>

-----------------------------------------------------------------------------
(* What a lane does with rows that were read, and with ids that are settled. *)

New(known, rows) == {id \in rows : id > known.position \/ id \in known.missing}

Took(known, rows, settled) ==
    LET end == Highest(rows \cup {known.position})
        skipped == ((known.position + 1)..end) \ rows
    IN [known EXCEPT !.position = end,
                     !.missing = ((@ \cup skipped) \ rows) \ settled,
                     !.delivered = @ \cup rows]

IsRepeat(known, rows) == rows \cap known.delivered # {}

(* The steps that a lane still needs. *)
Kept(all, lanes) == SubSeq(all, Len(all) + 1 - Highest({IF lanes[l].ahead = Lost THEN 0 ELSE lanes[l].ahead : l \in Lanes}), Len(all))

-----------------------------------------------------------------------------
(* A lane reads by itself.  The read is under way from Ask to Take; its snapshot is the one of Take. *)

(* It continues from saved progress, or begins now: the ids below are done, except those of open transactions. *)
Start(l) ==
    /\ lane[l].state = "new"
    /\ \E from \in {0, last} :
        lane' = [lane EXCEPT ![l] = [@ EXCEPT !.state = "alone", !.position = from, !.missing = Open \cap 1..from,
                                              !.delivered = visible \cap 1..from]]
    /\ UNCHANGED <<outbox, progress, read, steps, repeated>>

Ask(l) ==
    /\ lane[l].state = "alone"
    /\ lane[l].read # "asked"
    /\ lane' = [lane EXCEPT ![l] = [@ EXCEPT !.read = "asked", !.from = lane[l].position, !.lookups = lane[l].missing, !.ahead = 0]]
    /\ steps' = Kept(steps, lane')
    /\ UNCHANGED <<outbox, progress, read, repeated>>

Take(l) ==
    /\ lane[l].read = "asked"
    /\ LET found == {id \in visible : id > lane[l].from \/ id \in lane[l].lookups}
           rows == First(found, Limit)
           isAll == Cardinality(found) < Limit \/ ~Holds("a lane joins after it has read all")
       IN /\ \E settled \in {{}, undone} :    \* it has proved it by itself: see Settling.tla
                lane' = [lane EXCEPT ![l] = [Took(@, rows, settled) EXCEPT !.read = IF isAll THEN "all" ELSE "none",
                                                !.from = 0, !.lookups = {}, !.ahead = IF isAll THEN @ ELSE 0]]
          /\ repeated' = (repeated \/ IsRepeat(lane[l], rows))
    /\ steps' = Kept(steps, lane')
    /\ UNCHANGED <<outbox, progress, read>>

-----------------------------------------------------------------------------
(* It follows the tail. *)

Follows(l) == lane[l].state = "following"

Following(known, ahead) == [known EXCEPT !.state = "following", !.read = IF known.read = "asked" THEN "asked" ELSE "none", !.ahead = ahead]
MayJoin(l) == lane[l].state = "alone" /\ (lane[l].read # "asked" \/ ~Holds("a lane joins while it does not read"))

(* The first lane begins the tail where it is. *)
Begin(l) ==
    /\ ~begun
    /\ read = NoRead
    /\ MayJoin(l)
    /\ begun' = TRUE
    /\ position' = lane[l].position
    /\ missing' = lane[l].missing
    /\ ended' = {}
    /\ lane' = [other \in Lanes |->
                   IF other = l THEN Following(lane[l], 0)
                   ELSE IF lane[other].read = "none" \/ ~Holds("a read of a lane counts only if the tail had begun before") THEN lane[other]
                   ELSE [lane[other] EXCEPT !.ahead = Lost]]
    /\ steps' = <<>>
    /\ UNCHANGED <<outbox, read, repeated>>

JoinAt(l, ahead) ==
    /\ begun
    /\ MayJoin(l)
    /\ LET between == IF Holds("a lane that joins is missing what lies between its position and that of the tail")
                      THEN (lane[l].position + 1)..position ELSE {}
           joined == [Following(lane[l], ahead) EXCEPT !.position = Highest({@} \cup between), !.missing = @ \cup between]
           given == IF Holds("the tail is missing what the lanes that joined are missing")
                    THEN (joined.missing \cap 1..position) \ missing ELSE {}
       IN /\ lane' = [lane EXCEPT ![l] = joined]
          /\ missing' = missing \cup given
    /\ steps' = Kept(steps, lane')
    /\ UNCHANGED <<outbox, begun, position, ended, read, repeated>>

(* After a read of its own it joins from the last read of the tail that had ended before. *)
Join(l) ==
    /\ lane[l].read = "all"
    /\ lane[l].ahead # Lost
    /\ JoinAt(l, IF Holds("a lane takes the steps of all reads that end after its own read began") THEN lane[l].ahead ELSE 0)

(* Without this limit, which no promise needs, the tail would read what the lane lacks. *)
JoinWithoutRead(l) ==
    /\ lane[l].position >= position
    /\ read = NoRead \/ ~Holds("a lane that joins without a read joins between the reads of the tail")
    /\ JoinAt(l, 0)

(* Its window is full, or it is paused, or handed over: also after a part of a step. When the last lane has left, the tail has ended. *)
Leave(l) ==
    /\ Follows(l)
    /\ LET isLast == \A other \in Lanes \ {l} : ~Follows(other)
       IN /\ lane' = [other \in Lanes |->
                         IF other = l THEN [lane[l] EXCEPT !.state = "alone", !.ahead = 0]
                         ELSE IF isLast /\ lane[other].read # "none" THEN [lane[other] EXCEPT !.ahead = Lost]
                         ELSE lane[other]]
          /\ begun' = ~isLast
          /\ IF isLast THEN position' = 0 /\ missing' = {} /\ ended' = {} ELSE UNCHANGED <<position, missing, ended>>
    /\ steps' = Kept(steps, lane')
    /\ UNCHANGED <<outbox, read, repeated>>

MayTake(l) == lane[l].ahead \in 1..Steps /\ (Follows(l) \/ (lane[l].read = "asked" /\ ~Holds("a lane that has left takes no step")))

TakeUpTo(l, id, isWhole) ==
    LET step == steps[Len(steps) - lane[l].ahead + 1]
        part == {each \in step.rows : each <= id}
        rows == IF Holds("a lane ignores what it has taken") THEN New(lane[l], part) ELSE part
    IN /\ lane' = [lane EXCEPT ![l] = IF isWhole THEN [Took(@, rows, step.settled) EXCEPT !.ahead = @ - 1] ELSE Took(@, rows, {})]
       /\ steps' = Kept(steps, lane')
       /\ repeated' = (repeated \/ IsRepeat(lane[l], rows))
       /\ UNCHANGED <<outbox, progress, read>>

TakeStep(l) == MayTake(l) /\ TakeUpTo(l, Never, TRUE)
TakePart(l) == Parts /\ MayTake(l) /\ \E id \in Ids : TakeUpTo(l, id, FALSE)

-----------------------------------------------------------------------------
(* The tail.  Its read is under way from TailAsks to TailTakes or TailFails; its snapshot is the one of TailFinds. *)

TailObserves ==
    /\ begun
    /\ read = NoRead
    /\ ended' = missing \ Open
    /\ UNCHANGED <<outbox, begun, position, missing, read, steps, lane, repeated>>

TailAsks ==
    /\ begun
    /\ read = NoRead
    /\ read' = [NoRead EXCEPT !.state = "asked", !.from = position, !.lookups = missing,
                    !.rows = IF Holds("the tail reads gaps and new messages from one snapshot") THEN {} ELSE visible \cap missing]
    /\ UNCHANGED <<outbox, progress, steps, lane, repeated>>

TailFinds ==
    /\ read.state = "asked"
    /\ LET found == read.rows \cup {id \in visible :
                        id > read.from \/ (id \in read.lookups /\ Holds("the tail reads gaps and new messages from one snapshot"))}
           rows == First(found, Limit)
       IN read' = [NoRead EXCEPT !.state = "found", !.rows = rows,
                        !.coveredTo = IF Cardinality(found) >= Limit THEN Highest(rows) ELSE Never]
    /\ UNCHANGED <<outbox, progress, steps, lane, repeated>>

(* An error, or the read was outdated: see Settling.tla. *)
TailFails ==
    /\ read # NoRead
    /\ read' = NoRead
    /\ UNCHANGED <<outbox, progress, steps, lane, repeated>>

(* A lane that does not take the steps that are kept reads by itself. *)
WithStep(known) ==
    IF known.state # "following" /\ known.read = "none" THEN known
    ELSE IF known.ahead < Steps THEN [known EXCEPT !.ahead = @ + 1]
    ELSE IF known.state # "following" THEN [known EXCEPT !.ahead = Lost]
    ELSE IF Holds("a lane takes each step") THEN [known EXCEPT !.state = "alone", !.ahead = 0]
    ELSE known

TailTakes ==
    /\ begun
    /\ read.state = "found"
    /\ LET rows == read.rows
           settled == {id \in ended \ rows : id <= read.coveredTo}
           end == Highest(rows \cup {position})
           skipped == ((position + 1)..end) \ rows
           isStep == rows \cup settled # {}
           now == [l \in Lanes |-> IF isStep THEN WithStep(lane[l]) ELSE lane[l]]
           all == IF isStep THEN Append(steps, [rows |-> rows, settled |-> settled]) ELSE steps
           isFollowed == \E l \in Lanes : now[l].state = "following"
           after == IF isFollowed THEN now
                    ELSE [l \in Lanes |-> IF now[l].read # "none" THEN [now[l] EXCEPT !.ahead = Lost] ELSE now[l]]
       IN /\ begun' = isFollowed
          /\ IF isFollowed
             THEN /\ position' = end
                  /\ missing' = ((missing \cup skipped) \ rows) \ settled
                  /\ ended' = ended \cap missing'
             ELSE position' = 0 /\ missing' = {} /\ ended' = {}
          /\ lane' = after
          /\ steps' = Kept(all, after)
    /\ read' = NoRead
    /\ UNCHANGED <<outbox, repeated>>

TailNext == TailObserves \/ TailAsks \/ TailFinds \/ TailFails \/ TailTakes
LaneNext(l) ==
    Start(l) \/ Ask(l) \/ Take(l) \/ Begin(l) \/ Join(l) \/ JoinWithoutRead(l) \/ Leave(l) \/ TakeStep(l) \/ TakePart(l)

Next == Draw \/ TailNext \/ (\E id \in Ids : End(id)) \/ \E l \in Lanes : LaneNext(l)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Promises 1 and 3 of docs/guarantees.md, for each lane. *)

NothingIsPassed ==
    \A l \in Lanes : \A id \in 1..lane[l].position : id \in lane[l].missing \cup lane[l].delivered \cup undone

OrderOfKey ==
    \A l \in Lanes : \A id \in lane[l].delivered : \A earlier \in visible :
        earlier < id /\ Key(earlier) = Key(id) => earlier \in lane[l].delivered

NoRepeat == ~repeated

(* What a lane that follows still needs is looked up by the tail, or resolved by a step that the lane takes later. *)
NothingIsForgotten ==
    \A l \in Lanes : Follows(l) =>
        LET ahead == {steps[i] : i \in (Len(steps) - lane[l].ahead + 1)..Len(steps)}
        IN \A id \in 1..position : id > lane[l].position \/ id \in lane[l].missing =>
            id \in missing \/ \E step \in ahead : id \in step.rows \cup step.settled

(* These must be violated in the true model: they show that it covers the cases in question. *)
AtMostOneStepIsKept == Len(steps) <= 1
NoLaneIsAheadOfTheTail == \A l \in Lanes : Follows(l) => lane[l].position <= position
LanesAreMissingTheSame ==
    \A a, b \in Lanes : Follows(a) /\ Follows(b) /\ steps = <<>> => lane[a].missing = lane[b].missing

(* Transactions and lanes may stop forever, but a read, a step, and a lane that is alone do not wait forever. *)
FairSpec ==
    /\ Spec
    /\ WF_vars(TailAsks) /\ SF_vars(TailFinds) /\ SF_vars(TailTakes)
    /\ \A l \in Lanes : WF_vars(Start(l)) /\ SF_vars(Ask(l)) /\ WF_vars(Take(l)) /\ WF_vars(TakeStep(l))

EachMessageArrives == \A l \in Lanes, id \in Ids : (id \in visible) ~> (id \in lane[l].delivered)

Symmetry == Permutations(Lanes)

=============================================================================
