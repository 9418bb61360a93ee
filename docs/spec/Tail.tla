--------------------------------- MODULE Tail ---------------------------------
(***************************************************************************)
(* The lanes of one relay share a reader of the outbox, the tail.  A lane  *)
(* reads by itself until it joins; then it takes the results of the tail,  *)
(* the steps, until it leaves.  This module assumes what Settling.tla      *)
(* shows: the writer of an id that was found missing is among those of the *)
(* next observation.  README.md relates the model to the code.             *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, Sequences, TLC

CONSTANTS
    Lanes,
    MaxId,          \* maximum number of messages, each of a transaction of its own
    SameKey,        \* ids of one key; each other id has a key of its own
    Limit,          \* maximum number of rows of a read
    Steps,          \* maximum number of steps in the ring
    Starts,         \* whether the tail may start at any position while no lane takes its steps
    Dropped         \* rules that do not hold in this run: {} in the true model

Rules == {
    "a lane joins before the read of the tail starts",
    "a lane joins while it does not read",
    "the read starts at the lowest position of the lanes that join",
    "the read looks up what the lanes that join are missing",
    "a lane determines by itself which ids it has skipped",
    "a lane that ends below the tail does not join",
    "the tail is missing what the lanes that joined are missing",
    "the writers are looked up after an id was given to the tail",
    "the tail reads gaps and new messages from one snapshot",
    "a lane ignores what it has taken",
    "a lane takes each step",
    "a lane that has left takes no step"}

ASSUME Dropped \subseteq Rules

Holds(rule) == rule \notin Dropped

VARIABLES
    visible, undone,    \* the outbox: committed and rolled back ids
    last,               \* the last id that was drawn
    position, missing,  \* the tail
    ended,              \* ids that the tail is missing whose writers had ended at an observation since
    lastSeen,           \* writers at the last observation of the tail; only if it may come before an id was given
    read,               \* the read of the tail that is under way
    ring,               \* the last steps, without those that no lane needs
    lane,
    repeated            \* a lane has taken a message twice

outbox == <<visible, undone, last>>
tail == <<position, missing, ended, lastSeen, read, ring>>
vars == <<outbox, tail, lane, repeated>>

Ids == 1..MaxId
Never == MaxId + 1      \* above every id
Key(id) == IF id \in SameKey THEN 0 ELSE id
Highest(ids) == CHOOSE id \in ids : \A other \in ids : other <= id
Lowest(ids) == CHOOSE id \in ids : \A other \in ids : other >= id
First(ids, n) == {id \in ids : Cardinality({other \in ids : other < id}) < n}

(* state: it reads by itself ("alone"), joins the read of the tail that is under way ("joining"), or takes the steps of the *)
(* tail ("attached").  reads: a read of its own is under way, with the position and missing ids of from and lookups.        *)
(* ahead: number of the last steps that it has not taken.                                                                   *)
NewLane == [state |-> "alone", position |-> 0, missing |-> {}, delivered |-> {},
            reads |-> FALSE, from |-> 0, lookups |-> {}, ahead |-> 0]
NoRead == [from |-> Never, lookups |-> {}, half |-> {}]

Init ==
    /\ visible = {}
    /\ undone = {}
    /\ last = 0
    /\ position = 0
    /\ missing = {}
    /\ ended = {}
    /\ lastSeen = {}
    /\ read = NoRead
    /\ ring = <<>>
    /\ lane = [l \in Lanes |-> NewLane]
    /\ repeated = FALSE

-----------------------------------------------------------------------------
(* Transactions; those of one key take turns. *)

Open == (1..last) \ (visible \cup undone)

Draw ==
    /\ last < MaxId
    /\ \A id \in Open : Key(id) # Key(last + 1)
    /\ last' = last + 1
    /\ UNCHANGED <<visible, undone, tail, lane, repeated>>

End(id) ==
    /\ id \in Open
    /\ \/ visible' = visible \cup {id} /\ undone' = undone
       \/ undone' = undone \cup {id} /\ visible' = visible
    /\ UNCHANGED <<last, tail, lane, repeated>>

-----------------------------------------------------------------------------
(* What a lane does with rows that were read, and with ids that are settled. *)

New(known, rows) == {id \in rows : id > known.position \/ id \in known.missing}

Took(known, start, rows, settled) ==
    LET end == Highest(rows \cup {known.position})
        skipped == ((start + 1)..end) \ rows
    IN [known EXCEPT !.position = end,
                     !.missing = ((@ \cup skipped) \ rows) \ settled,
                     !.delivered = @ \cup rows]

(* Rows of the tail: some of them are for other lanes. *)
Share(known, rows) == IF Holds("a lane ignores what it has taken") THEN New(known, rows) ELSE rows
IsRepeat(known, rows) == rows \cap known.delivered # {}

-----------------------------------------------------------------------------
(* A lane reads by itself.  The read is under way from Ask to Take; its snapshot is the one of Take. *)

Ask(l) ==
    /\ lane[l].state = "alone"
    /\ ~lane[l].reads
    /\ lane' = [lane EXCEPT ![l].reads = TRUE, ![l].from = lane[l].position, ![l].lookups = lane[l].missing]
    /\ UNCHANGED <<outbox, tail, repeated>>

Take(l) ==
    /\ lane[l].reads
    /\ LET found == {id \in visible : id > lane[l].from \/ id \in lane[l].lookups}
           rows == First(found, Limit)
       IN /\ \E settled \in {{}, undone} :    \* it has proved it by itself: see Settling.tla
                lane' = [lane EXCEPT ![l] = [Took(@, @.position, rows, settled) EXCEPT !.reads = FALSE, !.from = 0, !.lookups = {}]]
          /\ repeated' = (repeated \/ IsRepeat(lane[l], rows))
    /\ UNCHANGED <<outbox, tail>>

(* The window of the lane is full, it is paused, or handed over: also while the read that it joins is under way. *)
Leave(l) ==
    /\ lane[l].state # "alone"
    /\ lane' = [lane EXCEPT ![l].state = "alone", ![l].ahead = IF Holds("a lane that has left takes no step") THEN 0 ELSE @]
    /\ UNCHANGED <<outbox, tail, repeated>>

TakeStep(l) ==
    /\ lane[l].ahead > 0
    /\ LET step == ring[Len(ring) - lane[l].ahead + 1]
           rows == Share(lane[l], step.rows)
           after == [lane EXCEPT ![l] = [Took(@, @.position, rows, step.settled) EXCEPT !.ahead = @ - 1]]
       IN /\ lane' = after
          /\ ring' = SubSeq(ring, Len(ring) + 1 - Highest({after[each].ahead : each \in Lanes}), Len(ring))
          /\ repeated' = (repeated \/ IsRepeat(lane[l], rows))
    /\ UNCHANGED <<outbox, position, missing, ended, lastSeen, read>>

-----------------------------------------------------------------------------
(* The tail.  Its read is under way from TailAsks to TailTakes or TailFails. *)

(* Without lanes that need it, it may forget what it knows. *)
TailStarts ==
    /\ Starts
    /\ read = NoRead
    /\ \A l \in Lanes : lane[l].state # "attached" /\ lane[l].ahead = 0
    /\ \E any \in 0..last : position' = any
    /\ missing' = {}
    /\ ended' = {}
    /\ UNCHANGED <<outbox, lastSeen, read, ring, lane, repeated>>

TailObserves ==
    /\ read = NoRead
    /\ ended' = missing \ Open
    /\ lastSeen' = IF Holds("the writers are looked up after an id was given to the tail") THEN {} ELSE Open
    /\ UNCHANGED <<outbox, position, missing, read, ring, lane, repeated>>

Joining == {l \in Lanes : lane[l].state = "joining"}
MayJoin == {l \in Lanes : lane[l].state = "alone" /\ (~lane[l].reads \/ ~Holds("a lane joins while it does not read"))}

TailAsks ==
    /\ read = NoRead
    /\ \E joining \in SUBSET MayJoin :
        LET behind == IF Holds("the read starts at the lowest position of the lanes that join")
                      THEN {lane[l].position : l \in joining} ELSE {}
            theirs == IF Holds("the read looks up what the lanes that join are missing")
                      THEN UNION {lane[l].missing : l \in joining} ELSE {}
            lookups == missing \cup theirs
        IN /\ read' = [from |-> Lowest({position} \cup behind),
                       lookups |-> lookups,
                       half |-> IF Holds("the tail reads gaps and new messages from one snapshot") THEN {} ELSE visible \cap lookups]
           /\ lane' = [l \in Lanes |-> IF l \in joining THEN [lane[l] EXCEPT !.state = "joining"] ELSE lane[l]]
    /\ UNCHANGED <<outbox, position, missing, ended, lastSeen, ring, repeated>>

(* An error, or the read was outdated: see Settling.tla. *)
TailFails ==
    /\ read # NoRead
    /\ read' = NoRead
    /\ lane' = [l \in Lanes |-> IF l \in Joining THEN [lane[l] EXCEPT !.state = "alone"] ELSE lane[l]]
    /\ UNCHANGED <<outbox, position, missing, ended, lastSeen, ring, repeated>>

(* An attached lane whose next step leaves the ring is alone again. *)
WithStep(known, isStep) ==
    IF ~isStep \/ (known.ahead = 0 /\ known.state # "attached") THEN known
    ELSE IF known.ahead < Steps THEN [known EXCEPT !.ahead = @ + 1]
    ELSE IF Holds("a lane takes each step") THEN [known EXCEPT !.state = "alone", !.ahead = 0]
    ELSE known

TailTakes ==
    /\ read # NoRead
    /\ LET found == read.half \cup {id \in visible :
                        id > read.from \/ (id \in read.lookups /\ Holds("the tail reads gaps and new messages from one snapshot"))}
           rows == First(found, Limit)
           coveredTo == IF Cardinality(found) >= Limit THEN Highest(rows) ELSE Never
           settled == {id \in ended \ rows : id <= coveredTo}
           end == Highest(rows \cup {position})
           skipped == ((position + 1)..end) \ rows
           own == ((missing \cup skipped) \ rows) \ settled
           joining == Joining \cup (IF Holds("a lane joins before the read of the tail starts") THEN {} ELSE MayJoin)
           start(l) == IF Holds("a lane determines by itself which ids it has skipped") THEN lane[l].position ELSE position
           after == [l \in joining |-> Took(lane[l], start(l), Share(lane[l], rows), settled)]
           joined == {l \in joining : after[l].position >= end \/ ~Holds("a lane that ends below the tail does not join")}
           given == IF Holds("the tail is missing what the lanes that joined are missing")
                    THEN (UNION {after[l].missing : l \in joined} \cap 1..end) \ own ELSE {}
           isStep == rows \cup settled # {}
           now == [l \in Lanes |->
                      IF l \in joined THEN [after[l] EXCEPT !.state = "attached"]
                      ELSE IF l \in joining THEN [after[l] EXCEPT !.state = "alone"]
                      ELSE WithStep(lane[l], isStep)]
           all == IF isStep THEN Append(ring, [rows |-> rows, settled |-> settled]) ELSE ring
       IN /\ position' = end
          /\ missing' = own \cup given
          /\ ended' = (ended \cap own)
                \cup (IF Holds("the writers are looked up after an id was given to the tail") THEN {} ELSE given \ lastSeen)
          /\ lane' = now
          /\ ring' = SubSeq(all, Len(all) + 1 - Highest({now[l].ahead : l \in Lanes}), Len(all))
          /\ repeated' = (repeated \/ \E l \in joining : IsRepeat(lane[l], Share(lane[l], rows)))
    /\ read' = NoRead
    /\ UNCHANGED <<outbox, lastSeen>>

TailNext == TailStarts \/ TailObserves \/ TailAsks \/ TailFails \/ TailTakes
LaneNext(l) == Ask(l) \/ Take(l) \/ Leave(l) \/ TakeStep(l)

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

(* What a lane that takes the steps of the tail still needs is found by the tail, or resolved by a step ahead of the lane. *)
NothingIsForgotten ==
    \A l \in Lanes : lane[l].state = "attached" =>
        LET ahead == {ring[i] : i \in (Len(ring) - lane[l].ahead + 1)..Len(ring)}
        IN \A id \in 1..position : id > lane[l].position \/ id \in lane[l].missing =>
            id \in missing \/ \E step \in ahead : id \in step.rows \cup step.settled

(* These must be violated in the true model: they show that it covers the cases in question. *)
NoLaneIsAheadOfTheTail == \A l \in Lanes : lane[l].state = "attached" => lane[l].position <= position
LanesAreMissingTheSame ==
    \A a, b \in Lanes : lane[a].state = "attached" /\ lane[b].state = "attached" /\ ring = <<>>
        => lane[a].missing = lane[b].missing

(* Transactions and lanes may stop forever, but a read, a step, and a lane that is alone do not wait forever. *)
FairSpec ==
    /\ Spec
    /\ WF_vars(TailAsks) /\ SF_vars(TailTakes)
    /\ \A l \in Lanes : SF_vars(Ask(l)) /\ WF_vars(Take(l)) /\ WF_vars(TakeStep(l))

EachMessageArrives == \A l \in Lanes, id \in Ids : (id \in visible) ~> (id \in lane[l].delivered)

Symmetry == Permutations(Lanes)

=============================================================================
