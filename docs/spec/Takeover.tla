------------------------------ MODULE Takeover ------------------------------
(***************************************************************************)
(* Several relays share one lane: lease, epoch, claim, save, takeover, and *)
(* delivery in order of the key.  This module assumes that a settled id    *)
(* never appears, which Settling.tla shows.  README.md relates the model   *)
(* to the code.                                                            *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    Relays,
    Ids,            \* of the messages
    SameKey,        \* ids of one key; each other id has a key of its own
    Open,           \* ids whose transactions are open at first; the others are committed
    MaxEpoch,       \* maximum number of claims of the lane
    Failures,       \* maximum number of failed attempts
    Presence,       \* whether a relay may claim the lane of a relay that has ended before the end of its lease
    Sessions,       \* maximum number of sessions of each relay; 0 without presence
    Servers,        \* 1, or 2 if a replica may be promoted while the old primary still answers reads
    NoRelay,
    Dropped         \* rules that do not hold in this run: {} in the true model

Rules == {
    "a lane is claimed only after its lease has ended or was released",
    "each claim gets a higher epoch",
    "a save is fenced by its epoch",
    "the relay measures its lease from the moment of its request",
    "the lease of the relay ends before that of the row",
    "a relay checks its lease before it starts a message",
    "a message waits for the one before it in its key",
    "a message waits behind those of its key that failed",
    "progress and what failed are saved in one transaction",
    "gaps hold what is in flight",
    "a lane is released only while no attempt is running",
    "a relay starts only while it has proved its presence",
    "a relay that claims by presence waits until older proofs have ended",
    "a new session counts from a save on",
    "until a save is answered the sessions before and after it count",
    "the end of a session is observed only on the server of this session"}

ASSUME Dropped \subseteq Rules /\ SameKey \cup Open \subseteq Ids

Holds(rule) == rule \notin Dropped

VARIABLES
    visible, undone,        \* the outbox: committed and rolled back ids
    row,                    \* outbox_subscription
    leaseOver,              \* the lease in the row is over, by the clock of the database
    retry,                  \* ids in outbox_retry
    lane,                   \* the state in each relay of the lane that it owns or considers its own
    session,                \* Postgres: the session in which each relay is present, 0 for none
    proof,                  \* the session whose presence each relay has just proved, 0 for none
    server,                 \* the number of the server that has the tables: higher after a promotion
    home,                   \* the server of the session of each relay
    wire,                   \* sends in transit: relay, epoch, id
    arrived,                \* ids that the receiver has seen
    failed,                 \* number of failed attempts
    trouble, repeated       \* a relay has crashed or lost its lease; a message was sent again without a failure

vars == <<visible, undone, row, leaseOver, retry, lane, session, proof, server, home, wire, arrived, failed, trouble, repeated>>
outbox == <<visible, undone>>
presence == <<session, proof, server, home>>
receiver == <<wire, arrived, failed>>
ghosts == <<trouble, repeated>>

Key(id) == IF id \in SameKey THEN 0 ELSE id
Highest(ids) == CHOOSE id \in ids : \A other \in ids : other <= id

(* position, missing, inFlight: Progress.  started: sent and not ended.  stored: in flight, read from outbox_retry.  put, remove: *)
(* changes to save.  sure: the lease is valid for the relay.  asked: a claim or save is in the table and not answered.            *)
(* sessions: those that the row may name, 0 for none.  server: where the lane was claimed.                                        *)
NoLane == [epoch |-> 0, position |-> 0, missing |-> {}, inFlight |-> {}, started |-> {}, stored |-> {}, put |-> {}, remove |-> {},
           sure |-> FALSE, asked |-> FALSE, sessions |-> {}, server |-> 1]

Init ==
    /\ visible = Ids \ Open
    /\ undone = {}
    /\ row = [epoch |-> 0, owner |-> NoRelay, position |-> 0, gaps |-> {}, session |-> 0, home |-> 1]
    /\ leaseOver = FALSE
    /\ retry = {}
    /\ lane = [r \in Relays |-> NoLane]
    /\ session = [r \in Relays |-> IF Presence THEN 1 ELSE 0]
    /\ proof = [r \in Relays |-> 0]
    /\ server = 1
    /\ home = [r \in Relays |-> 1]
    /\ wire = {}
    /\ arrived = {}
    /\ failed = 0
    /\ trouble = FALSE
    /\ repeated = FALSE

-----------------------------------------------------------------------------
(* Transactions end; those of one key take turns. *)

Ended == visible \cup undone

End(id) ==
    /\ id \in Ids \ Ended
    /\ \A earlier \in Ids : earlier < id /\ Key(earlier) = Key(id) => earlier \in Ended
    /\ \/ visible' = visible \cup {id} /\ undone' = undone
       \/ undone' = undone \cup {id} /\ visible' = visible
    /\ UNCHANGED <<row, leaseOver, retry, lane, presence, receiver, ghosts>>

-----------------------------------------------------------------------------
(* Lease and presence. The clocks of relay and database run at the same rate: the lease (the proof) of a relay ends for the *)
(* relay before it ends for others.                                                                                      *)

HasLane(r) == lane[r].epoch > 0
IsHolder(r) == HasLane(r) /\ lane[r].epoch = row.epoch /\ row.owner = r

LeaseHolds(r) == lane[r].sure \/ ~Holds("a relay checks its lease before it starts a message")
(* A relay without a session has only its lease, and no other relay considers it absent. *)
IsPresent(r) ==
    \/ ~Presence
    \/ ~Holds("a relay starts only while it has proved its presence")
    \/ ~Holds("a new session counts from a save on") /\ proof[r] > 0
    \/ \A number \in lane[r].sessions : number \in {0, proof[r]}
MayStart(r) == HasLane(r) /\ LeaseHolds(r) /\ IsPresent(r)

(* The lease has ended by the clock of the relay. *)
LeaseEndsForRelay(r) ==
    /\ lane[r].sure
    /\ lane' = [lane EXCEPT ![r].sure = FALSE]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

LeaseEnds ==
    /\ ~leaseOver
    /\ row.owner # NoRelay
    /\ \/ ~(HasLane(row.owner) /\ lane[row.owner].epoch = row.epoch /\ lane[row.owner].sure)
       \/ ~Holds("the lease of the relay ends before that of the row")
    /\ leaseOver' = TRUE
    /\ trouble' = TRUE
    /\ UNCHANGED <<outbox, row, retry, lane, presence, receiver, repeated>>

(* The session of the presence ends without the knowledge of the relay: an administrator, a crash of Postgres, the network. *)
SessionEnds(r) ==
    /\ session[r] > 0
    /\ HasLane(r)      \* the session of another relay does not matter
    /\ session' = [session EXCEPT ![r] = 0]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, proof, server, home, receiver, ghosts>>

SessionBegins(r, number) ==
    /\ Presence
    /\ session[r] = 0
    /\ number \in 1..Sessions
    /\ number > proof[r] /\ (\A earlier \in lane[r].sessions : number > earlier) /\ (row.owner = r => number > row.session)
    /\ session' = [session EXCEPT ![r] = number]
    /\ proof' = [proof EXCEPT ![r] = 0]
    /\ \E any \in 1..server : home' = [home EXCEPT ![r] = any]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, server, receiver, ghosts>>

Prove(r) ==
    /\ session[r] > 0
    /\ HasLane(r)      \* an earlier proof is as good as one right after the claim
    /\ proof[r] # session[r]
    /\ proof' = [proof EXCEPT ![r] = session[r]]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, session, server, home, receiver, ghosts>>

ProofEnds(r) ==
    /\ proof[r] > 0
    /\ proof' = [proof EXCEPT ![r] = 0]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, session, server, home, receiver, ghosts>>

(* A replica with all committed transactions is promoted. It has the row and none of the locks. The old primary accepts no more *)
(* transactions, but still answers, also a proof.                                                                            *)
Promote ==
    /\ server < Servers
    /\ server' = server + 1
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, session, proof, home, receiver, ghosts>>

(* The session that the row names has ended, and so has every proof that began in it: a relay that has seen the end of the *)
(* session waits for the duration of a proof. A session does not begin again: the next one has another number, and its     *)
(* lock another key.                                                                                                       *)
OwnerIsAbsent ==
    /\ Presence
    /\ row.owner # NoRelay
    /\ row.session # 0
    /\ row.home = server \/ ~Holds("the end of a session is observed only on the server of this session")
    /\ session[row.owner] # row.session \/ home[row.owner] # server
    /\ proof[row.owner] # row.session \/ ~Holds("a relay that claims by presence waits until older proofs have ended")

(* claim.sql *)
Claim(r) ==
    /\ ~HasLane(r)
    /\ row.epoch < MaxEpoch
    /\ \/ row.owner = NoRelay
       \/ leaseOver
       \/ OwnerIsAbsent
       \/ ~Holds("a lane is claimed only after its lease has ended or was released")
    /\ LET epoch == IF row.epoch = 0 \/ Holds("each claim gets a higher epoch") THEN row.epoch + 1 ELSE row.epoch
       IN /\ row' = [row EXCEPT !.epoch = epoch, !.owner = r, !.session = session[r], !.home = home[r]]
          /\ lane' = [lane EXCEPT ![r] = [NoLane EXCEPT !.epoch = epoch, !.position = row.position, !.missing = row.gaps,
                                                        !.asked = TRUE, !.sessions = {session[r]}, !.server = server]]
          /\ trouble' = (trouble \/ row.owner # NoRelay)
    /\ leaseOver' = FALSE
    /\ UNCHANGED <<outbox, retry, presence, receiver, repeated>>

(* The answer to a claim or save: the lease counts from the moment before the request. *)
Answer(r) ==
    /\ lane[r].asked
    /\ \E sure \in {FALSE, TRUE} :
        /\ sure => (IsHolder(r) /\ ~leaseOver) \/ ~Holds("the relay measures its lease from the moment of its request")
        /\ lane' = [lane EXCEPT ![r].asked = FALSE, ![r].sure = sure,
                                ![r].sessions = IF IsHolder(r) THEN {row.session} ELSE @]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

-----------------------------------------------------------------------------
(* Read, deliver, save. *)

KeysBlocked(r) == {Key(id) : id \in retry \cup lane[r].put \cup lane[r].stored}

Read(r) ==
    /\ HasLane(r)
    /\ lane[r].epoch = row.epoch    \* a read of a fenced relay has no effect: the relay loses the lane with its next save
    /\ lane[r].server = server
    /\ LET known == lane[r]
           rows == {id \in visible : id > known.position \/ id \in known.missing}
           end == IF rows = {} THEN known.position ELSE Highest(rows \cup {known.position})
           skipped == {id \in Ids : id > known.position /\ id <= end /\ id \notin rows}
           blocked == IF Holds("a message waits behind those of its key that failed")
                      THEN {id \in rows : Key(id) \in KeysBlocked(r)} ELSE {}
       IN lane' = [lane EXCEPT ![r].position = end,
                               ![r].missing = ((known.missing \cup skipped) \ rows) \ undone,
                               ![r].inFlight = known.inFlight \cup (rows \ blocked),
                               ![r].put = known.put \cup blocked]
    /\ lane' # lane
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

(* The first message of a key that waits in outbox_retry is due, or a person retries it now. *)
ReadDue(r, id) ==
    /\ HasLane(r)
    /\ lane[r].epoch = row.epoch
    /\ lane[r].server = server
    /\ id \in retry \ (lane[r].stored \cup lane[r].remove)
    /\ \A other \in (retry \ lane[r].remove) \cup lane[r].put : Key(other) = Key(id) => other >= id
    /\ lane' = [lane EXCEPT ![r].inFlight = @ \cup {id}, ![r].stored = @ \cup {id}]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

Send(r, id) == <<r, lane[r].epoch, id>>

Start(r, id) ==
    /\ MayStart(r)
    /\ id \in lane[r].inFlight \ lane[r].started
    /\ \/ \A other \in lane[r].inFlight : other < id => Key(other) # Key(id)
       \/ ~Holds("a message waits for the one before it in its key")
    /\ lane' = [lane EXCEPT ![r].started = @ \cup {id}]
    /\ wire' = wire \cup {Send(r, id)}
    /\ repeated' = (repeated \/ (failed = 0 /\ (id \in arrived \/ \E send \in wire : send[3] = id)))
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, arrived, failed, trouble>>

Arrive(send) ==
    /\ send \in wire
    /\ wire' = wire \ {send}
    /\ arrived' = arrived \cup {send[3]}
    /\ UNCHANGED <<outbox, row, leaseOver, retry, lane, presence, failed, ghosts>>

Without(known, id) ==
    [known EXCEPT !.inFlight = @ \ {id}, !.started = @ \ {id}, !.stored = @ \ {id}]

Succeed(r, id) ==
    /\ id \in lane[r].started
    /\ Send(r, id) \notin wire
    /\ lane' = [lane EXCEPT ![r] = [Without(@, id) EXCEPT !.remove = IF id \in lane[r].stored THEN @ \cup {id} ELSE @]]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

(* It has arrived or not. Later messages of its key that were taken are blocked behind it. *)
Fail(r, id) ==
    /\ failed < Failures
    /\ id \in lane[r].started
    /\ failed' = failed + 1
    /\ wire' = wire \ {Send(r, id)}
    /\ LET known == lane[r]
           behind == {other \in known.inFlight \ known.started : other > id /\ Key(other) = Key(id)}
           leave == {id} \cup (IF Holds("a message waits behind those of its key that failed") THEN behind ELSE {})
       IN lane' = [lane EXCEPT ![r] = [known EXCEPT !.inFlight = @ \ leave, !.started = @ \ {id}, !.stored = @ \ leave,
                                                    !.put = @ \cup leave]]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, arrived, ghosts>>

(* The first save in another session is in transit, and perhaps lost: the row names one session or the other. *)
AskInSession(r) ==
    /\ HasLane(r)
    /\ session[r] \notin lane[r].sessions
    /\ lane' = [lane EXCEPT ![r].sessions = {session[r]}
                    \cup (IF Holds("until a save is answered the sessions before and after it count") THEN @ ELSE {})]
    /\ UNCHANGED <<outbox, row, leaseOver, retry, presence, receiver, ghosts>>

(* save_progress.sql and the changes in its transaction: no effect if another relay has claimed the lane. A relay that finds *)
(* another server drops the lane.                                                                                            *)
Save(r) ==
    /\ HasLane(r)
    /\ ~lane[r].asked
    /\ IF lane[r].server = server /\ row.owner # NoRelay /\ (lane[r].epoch = row.epoch \/ ~Holds("a save is fenced by its epoch"))
       THEN /\ row' = [row EXCEPT !.position = lane[r].position, !.session = session[r], !.home = home[r],
                        !.gaps = lane[r].missing \cup
                            (IF Holds("gaps hold what is in flight") THEN lane[r].inFlight \ lane[r].stored ELSE {})]
            /\ \E together \in {TRUE, Holds("progress and what failed are saved in one transaction")} :
                retry' = (IF together THEN retry \cup lane[r].put ELSE retry) \ lane[r].remove
            /\ lane' = [lane EXCEPT ![r].put = {}, ![r].remove = {}, ![r].asked = TRUE, ![r].sessions = @ \cup {session[r]}]
            /\ leaseOver' = FALSE
       ELSE /\ lane' = [lane EXCEPT ![r] = NoLane]
            /\ UNCHANGED <<row, retry, leaseOver>>
    /\ UNCHANGED <<outbox, presence, receiver, ghosts>>

(* A relay that stops, or hands over the lane, has saved, and no attempt is running. *)
Release(r) ==
    /\ IsHolder(r)
    /\ lane[r].server = server
    /\ ~lane[r].asked
    /\ lane[r].sure
    /\ lane[r].started = {} \/ ~Holds("a lane is released only while no attempt is running")
    /\ lane[r].put \cup lane[r].remove = {}
    /\ row.position = lane[r].position
    /\ row.gaps = lane[r].missing \cup (lane[r].inFlight \ lane[r].stored)
    /\ row' = [row EXCEPT !.owner = NoRelay, !.session = 0]
    /\ lane' = [lane EXCEPT ![r] = NoLane]
    /\ UNCHANGED <<outbox, leaseOver, retry, presence, receiver, ghosts>>

(* Sends in transit may still arrive. *)
Crash(r) ==
    /\ HasLane(r)
    /\ lane' = [lane EXCEPT ![r] = NoLane]
    /\ session' = [session EXCEPT ![r] = 0]
    /\ proof' = [proof EXCEPT ![r] = 0]
    /\ trouble' = TRUE
    /\ UNCHANGED <<outbox, row, leaseOver, retry, server, home, receiver, repeated>>

Relay(r) ==
    \/ LeaseEndsForRelay(r) \/ SessionEnds(r) \/ Prove(r) \/ ProofEnds(r)
    \/ \E number \in 1..Sessions : SessionBegins(r, number)
    \/ Claim(r) \/ Answer(r) \/ Read(r) \/ AskInSession(r) \/ Save(r) \/ Release(r) \/ Crash(r)
    \/ \E id \in Ids : ReadDue(r, id) \/ Start(r, id) \/ Succeed(r, id) \/ Fail(r, id)

Next ==
    \/ LeaseEnds \/ Promote
    \/ \E id \in Ids : End(id)
    \/ \E send \in wire : Arrive(send)
    \/ \E r \in Relays : Relay(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Promises 1, 2, 3 and 6 of docs/guarantees.md. *)

NothingIsPassed == \A id \in Ids : id <= row.position => id \in row.gaps \cup arrived \cup retry \cup undone

FirstOccurrencesInOrder ==
    \A id \in arrived : \A earlier \in visible : earlier < id /\ Key(earlier) = Key(id) => earlier \in arrived

OnlyTheHolderStarts == \A r \in Relays : MayStart(r) => IsHolder(r)

NoRepeatWithoutTrouble == repeated => trouble

AFencedRelaySavesNothing == [][\A r \in Relays : Save(r) /\ ~IsHolder(r) => UNCHANGED <<row, retry>>]_vars

(* These must be violated in the true model: they show that it covers the cases in question. *)
NothingWaitsForRetry == retry = {}
NobodyIsTakenForAbsent == \A r \in Relays : lane[r].sure => IsHolder(r)
NoProofOfAnotherServer == \A r \in Relays : MayStart(r) => home[r] = server
NothingArrivesFromAnotherEpoch == \A send \in wire : send[2] = row.epoch

Symmetry == Permutations(Relays)

=============================================================================
