------------------------------ MODULE Settling ------------------------------
(***************************************************************************)
(* One lane reads the outbox: writers insert, commit and roll back; the    *)
(* relay takes the visible messages, records the missing ids, and settles  *)
(* those that never appear.  README.md relates the model to the code.      *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, Sequences, TLC

CONSTANTS
    Transactions,   \* of the application; each runs once
    SameKey,        \* those that write to one key; each other one has a key of its own
    MaxId,          \* maximum number of ids
    Limit,          \* maximum number of rows of a read
    Prepares,       \* whether transactions may be prepared
    SeesSessions,   \* whether the relay may see that a session is idle
    LeavesOut,      \* whether reads leave out ids that only open transactions can fill
    Crashes,        \* whether the relay saves and crashes
    Dropped         \* rules that do not hold in this run: {} in the true model

Rules == {
    "an insert takes its lock before it draws its id",
    "a commit is visible before its locks are released",
    "writers of one key take turns",
    "the gaps and the new messages come from one snapshot",
    "the writers are looked up after the read that showed the gap",
    "the writers of the first observation are waited for",
    "the ids are read again after the writers have ended",
    "a cut read proves nothing beyond its last row",
    "a writer that is no longer listed may be prepared",
    "an idle writer has executed nothing between two observations",
    "rows of an outdated read are not used",
    "only writers with a transaction id are left out",
    "gaps hold what is in flight",
    "a new owner observes the writers again"}

ASSUME Dropped \subseteq Rules /\ SameKey \subseteq Transactions

Holds(rule) == rule \notin Dropped

Ids == 1..MaxId
Never == MaxId + 1              \* above every id

VARIABLES
    (* Postgres *)
    tx,         \* the state of each transaction
    drawn,      \* the transactions that drew the ids, in order
    visible,    \* ids of committed rows
    undone,     \* ids that were rolled back
    (* the relay: Progress *)
    position, missing, leftOut, inFlight,
    (* the relay: Settling; the names of the writers that may still fill each missing id *)
    waitsFor,
    withId,     \* writers that had a transaction id at the last observation
    still,      \* for idle writers: they drew no missing id above this one
    moved,      \* transactions that executed something since the last observation
    lastSeen,   \* writers at the last observation; only if it may come before the read
    half,       \* ids found by the first half of a read; only if it has two snapshots
    (* the row of the lane, and the receiver *)
    saved, delivered

postgres == <<tx, drawn, visible, undone>>
progress == <<position, missing, leftOut, inFlight>>
settling == <<waitsFor, withId, still, lastSeen, half>>
kept == <<saved, delivered>>
vars == <<postgres, progress, settling, moved, kept>>

-----------------------------------------------------------------------------
(* Writers.  "locked": its insert has the lock on the outbox and no id yet; "drawn": it has the id, and no row yet; *)
(* "open": it is idle between two statements; "committed": visible, and still holds its locks.                      *)

LastId == Len(drawn)
IdsOf(t) == {id \in 1..LastId : drawn[id] = t}
Pending(t) == IF tx[t] = "drawn" THEN {CHOOSE id \in IdsOf(t) : \A other \in IdsOf(t) : other <= id} ELSE {}
HasTransactionId(t) == tx[t] \in {"drawn", "locked", "open", "prepared"} /\ IdsOf(t) \ (Pending(t) \cup undone) # {}
Key(id) == IF drawn[id] \in SameKey THEN "same" ELSE drawn[id]

HoldsLock(t) ==
    \/ tx[t] \in {"locked", "open", "prepared"}
    \/ tx[t] = "drawn" /\ (Holds("an insert takes its lock before it draws its id") \/ IdsOf(t) \ Pending(t) # {})
    \/ tx[t] = "committed" /\ Holds("a commit is visible before its locks are released")

KeyIsFree(t) ==
    \/ t \notin SameKey
    \/ ~Holds("writers of one key take turns")
    \/ \A other \in SameKey \ {t} : tx[other] \notin {"drawn", "open", "prepared", "unseen"} /\ (tx[other] = "locked" => IdsOf(other) = {})

Become(t, state) ==
    /\ tx' = [tx EXCEPT ![t] = state]
    /\ moved' = IF SeesSessions THEN moved \cup {t} ELSE moved

Lock(t) ==
    /\ tx[t] \in {"idle", "open"}
    /\ LastId < MaxId
    /\ Become(t, "locked")
    /\ UNCHANGED <<drawn, visible, undone, progress, settling, kept>>

Draw(t) ==
    /\ \/ tx[t] = "locked"
       \/ tx[t] = "idle" /\ ~Holds("an insert takes its lock before it draws its id")
    /\ LastId < MaxId
    /\ KeyIsFree(t)
    /\ drawn' = Append(drawn, t)
    /\ Become(t, "drawn")
    /\ UNCHANGED <<visible, undone, progress, settling, kept>>

Write(t) ==
    /\ tx[t] = "drawn"
    /\ Become(t, "open")
    /\ UNCHANGED <<drawn, visible, undone, progress, settling, kept>>

RollBackToSavepoint(t) ==
    /\ tx[t] = "drawn"
    /\ undone' = undone \cup Pending(t)
    /\ Become(t, "open")
    /\ UNCHANGED <<drawn, visible, progress, settling, kept>>

Prepare(t) ==
    /\ Prepares
    /\ tx[t] = "open"
    /\ Become(t, "prepared")
    /\ UNCHANGED <<drawn, visible, undone, progress, settling, kept>>

RollBack(t) ==
    /\ tx[t] \in {"locked", "drawn", "open", "prepared"}
    /\ undone' = undone \cup IdsOf(t)
    /\ Become(t, "ended")
    /\ UNCHANGED <<drawn, visible, progress, settling, kept>>

Commit(t) ==
    /\ tx[t] \in {"open", "prepared"}
    /\ IF Holds("a commit is visible before its locks are released")
       THEN visible' = visible \cup (IdsOf(t) \ undone) /\ Become(t, "committed")
       ELSE visible' = visible /\ Become(t, "unseen")
    /\ UNCHANGED <<drawn, undone, progress, settling, kept>>

End(t) ==
    /\ tx[t] \in {"committed", "unseen"}
    /\ visible' = visible \cup (IdsOf(t) \ undone)
    /\ Become(t, "ended")
    /\ UNCHANGED <<drawn, undone, progress, settling, kept>>

Writer(t) ==
    Lock(t) \/ Draw(t) \/ Write(t) \/ RollBackToSavepoint(t) \/ Prepare(t) \/ RollBack(t) \/ Commit(t) \/ End(t)

-----------------------------------------------------------------------------
(* An observation of pg_locks (writers.sql, missing_id_writers.sql): a prepared transaction has another name than before. *)

Running(t) == <<t, "running">>
Prepared(t) == <<t, "prepared">>
Name(t) == IF tx[t] = "prepared" THEN Prepared(t) ELSE Running(t)
Names == {Running(t) : t \in Transactions} \cup {Prepared(t) : t \in Transactions}
WritersNow == {Name(t) : t \in {t \in Transactions : HoldsLock(t)}}
PreparedNow == {name \in WritersNow : name[2] = "prepared"}

Unknown == {<<"unknown", "unknown">>}    \* no observation since the id was found missing
NoHalf == {0}

(* OpenWriters.observe *)
Observed(before) ==
    IF before = Unknown THEN WritersNow
    ELSE IF ~Holds("the writers of the first observation are waited for") THEN {}
    ELSE LET gone == {name \in before \ WritersNow : name[2] = "running"}
         IN (before \cap WritersNow)
                \cup (IF gone # {} /\ Holds("a writer that is no longer listed may be prepared") THEN PreparedNow ELSE {})

(* IdleWriters.observe: 0 for a writer that was not observed idle *)
IsIdle(name) == name \in WritersNow /\ tx[name[1]] \in {"open", "prepared"}
Since(name) ==
    IF ~SeesSessions \/ ~IsIdle(name) THEN 0
    ELSE IF still[name] = 0 THEN IF Holds("an idle writer has executed nothing between two observations") THEN Never ELSE LastId
    ELSE IF name[1] \in moved /\ Holds("an idle writer has executed nothing between two observations") THEN Never
    ELSE IF still[name] < LastId THEN still[name] ELSE LastId
ExcludeIdle(id, names) == {name \in names : Since(name) = 0 \/ id <= Since(name)}

Observe ==
    /\ missing # {} \/ SeesSessions   \* other ids may be the reason, and count for idle writers
    /\ half = NoHalf
    /\ LET observed == [id \in missing |-> Observed(waitsFor[id])]
           excluded == [id \in missing |-> ExcludeIdle(id, observed[id])]
           settledAtOnce == IF Holds("the ids are read again after the writers have ended") THEN {}
                            ELSE {id \in missing : excluded[id] = {}}
       IN /\ missing' = missing \ settledAtOnce
          /\ waitsFor' = [id \in missing \ settledAtOnce |-> excluded[id]]
          /\ withId' = IF LeavesOut THEN {Name(t) : t \in {t \in Transactions : HasTransactionId(t)}} ELSE {}
          /\ leftOut' = {id \in leftOut : excluded[id] = waitsFor[id]
                            /\ (waitsFor[id] \subseteq withId' \/ ~Holds("only writers with a transaction id are left out"))}
    /\ still' = [name \in Names |-> Since(name)]
    /\ moved' = {}
    /\ lastSeen' = IF Holds("the writers are looked up after the read that showed the gap") THEN {} ELSE WritersNow
    /\ UNCHANGED <<postgres, position, inFlight, half, kept>>

-----------------------------------------------------------------------------
(* The read (read.sql, Lane.received) and the ids that it settles. *)

OldFound == visible \cap (missing \ leftOut)
NewFound == {id \in visible : id > position}
Lowest(ids, n) == {id \in ids : Cardinality({other \in ids : other < id}) < n}
Highest(ids) == CHOOSE id \in ids : \A other \in ids : other <= id

(* Whether one of the awaited writers has ended for this snapshot: pg_visible_in_snapshot. *)
IsOpen(name) == tx[name[1]] \in {"locked", "drawn", "open", "prepared", "unseen"}
Outdated ==
    /\ Holds("rows of an outdated read are not used")
    /\ \E id \in leftOut : \E name \in waitsFor[id] : name \in withId /\ ~IsOpen(name)

NewWaits(now, found) ==
    [id \in now |->
        IF id \in found /\ ~Holds("the writers are looked up after the read that showed the gap") THEN lastSeen
        ELSE IF id \in found THEN Unknown
        ELSE waitsFor[id]]

Take(found, longMissing) ==
    LET rows == Lowest(found, Limit)
        isCut == Cardinality(found) >= Limit
        coveredTo == IF isCut THEN Highest(rows) ELSE Never
        provedTo == IF Holds("a cut read proves nothing beyond its last row") THEN coveredTo ELSE Never
        end == IF rows = {} THEN position ELSE Highest(rows \cup {position})
        skipped == {id \in (position + 1)..end : id \notin rows}
        settled == {id \in missing \ rows : waitsFor[id] = {} /\ id <= provedTo}
        stays == (missing \ rows) \ settled
        leaves == {id \in stays : longMissing /\ id <= coveredTo /\ waitsFor[id] # Unknown /\ waitsFor[id] # {}
                        /\ (waitsFor[id] \subseteq withId \/ ~Holds("only writers with a transaction id are left out"))}
    IN /\ position' = end
       /\ missing' = stays \cup skipped
       /\ leftOut' = leftOut \cup leaves
       /\ inFlight' = inFlight \cup rows
       /\ waitsFor' = NewWaits(stays \cup skipped, skipped)

ReadInOneSnapshot(longMissing) ==
    /\ Holds("the gaps and the new messages come from one snapshot")
    /\ IF Outdated /\ OldFound \cup NewFound # {}  \* a read without rows does not report it
       THEN /\ leftOut' = {}
            /\ withId' = {}
            /\ UNCHANGED <<position, missing, inFlight, waitsFor>>
       ELSE Take(OldFound \cup NewFound, longMissing) /\ withId' = withId
    /\ UNCHANGED <<postgres, still, moved, lastSeen, half, kept>>

ReadGaps ==
    /\ ~Holds("the gaps and the new messages come from one snapshot")
    /\ half = NoHalf
    /\ half' = OldFound
    /\ UNCHANGED <<postgres, progress, waitsFor, withId, still, moved, lastSeen, kept>>

ReadNew ==
    /\ half # NoHalf
    /\ Take(half \cup NewFound, FALSE)
    /\ half' = NoHalf
    /\ UNCHANGED <<postgres, withId, still, moved, lastSeen, kept>>

Read == (\E longMissing \in {FALSE, LeavesOut} : ReadInOneSnapshot(longMissing)) \/ ReadGaps \/ ReadNew

-----------------------------------------------------------------------------
(* Delivery in order of the key, the save, and a crash of the relay at any moment. *)

Deliver(id) ==
    /\ id \in inFlight
    /\ \A other \in inFlight : other < id => Key(other) # Key(id)
    /\ inFlight' = inFlight \ {id}
    /\ delivered' = delivered \cup {id}
    /\ UNCHANGED <<postgres, position, missing, leftOut, settling, moved, saved>>

Save ==
    /\ Crashes
    /\ saved' = [position |-> position,
                 gaps |-> missing \cup (IF Holds("gaps hold what is in flight") THEN inFlight ELSE {})]
    /\ UNCHANGED <<postgres, progress, settling, moved, delivered>>

Crash ==
    /\ Crashes
    /\ position' = saved.position
    /\ missing' = saved.gaps
    /\ leftOut' = {}
    /\ inFlight' = {}
    /\ waitsFor' = [id \in saved.gaps |-> IF Holds("a new owner observes the writers again") THEN Unknown ELSE {}]
    /\ withId' = {}
    /\ still' = [name \in Names |-> 0]
    /\ moved' = {}
    /\ lastSeen' = {}
    /\ half' = NoHalf
    /\ UNCHANGED <<postgres, kept>>

Relay == Read \/ Observe \/ Save \/ Crash \/ \E id \in Ids : Deliver(id)

Init ==
    /\ tx = [t \in Transactions |-> "idle"]
    /\ drawn = <<>>
    /\ visible = {}
    /\ undone = {}
    /\ position = 0
    /\ missing = {}
    /\ leftOut = {}
    /\ inFlight = {}
    /\ waitsFor = <<>>
    /\ withId = {}
    /\ still = [name \in Names |-> 0]
    /\ moved = {}
    /\ lastSeen = {}
    /\ half = NoHalf
    /\ saved = [position |-> 0, gaps |-> {}]
    /\ delivered = {}

Next == Relay \/ \E t \in Transactions : Writer(t)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Promises 1 and 3 of docs/guarantees.md. *)

Finished == delivered \cup undone

(* Each id at or below the position is delivered, in the gaps, or was rolled back. *)
NothingIsPassed ==
    /\ \A id \in 1..position : id \in missing \cup inFlight \cup Finished
    /\ \A id \in 1..saved.position : id \in saved.gaps \cup Finished

(* A message is delivered after all messages of its key that were committed before it. *)
OrderOfKey ==
    \A id \in delivered : \A earlier \in visible :
        earlier < id /\ Key(earlier) = Key(id) => earlier \in delivered

NothingRolledBackIsDelivered == delivered \cap undone = {}

(* These must be violated in the true model: they show that it covers the cases in question. *)
IsSettled(id) == id \notin missing \cup inFlight \cup delivered
NothingIsSettledBesideAnOpenWriter ==
    \A id \in 1..position : IsSettled(id) => \A t \in Transactions : tx[t] \in {"idle", "ended"}
NothingIsSettledBesideAnIdleWriter ==
    \A id \in 1..position : IsSettled(id) => \A own \in 1..id : tx[drawn[own]] # "open"
NothingIsLeftOut == leftOut = {}

Symmetry == Permutations(SameKey) \cup Permutations(Transactions \ SameKey)

=============================================================================
