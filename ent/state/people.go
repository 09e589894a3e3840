package state

// InvitationOutcome is how an invitation ended.
type InvitationOutcome string

// The values of [InvitationOutcome].
const (
	InvitationAccepted  InvitationOutcome = "accepted"
	InvitationDeclined  InvitationOutcome = "declined"
	InvitationWithdrawn InvitationOutcome = "withdrawn"
	InvitationExpired   InvitationOutcome = "expired" // replaced by another one
)

// ChallengePurpose is the action that answering a challenge permits.
type ChallengePurpose string

// The values of [ChallengePurpose].
const (
	ChallengeVerify  ChallengePurpose = "verify"  // the account's address is verified
	ChallengeMove    ChallengePurpose = "move"    // the account gets another address
	ChallengeReset   ChallengePurpose = "reset"   // a new password
	ChallengeSecond  ChallengePurpose = "second"  // the password was right, the second factor is missing
	ChallengePasskey ChallengePurpose = "passkey" // a passkey is created or used
	ChallengeTOTP    ChallengePurpose = "totp"    // an authenticator app is set up
)

// FactorKind is the kind of a second factor.
type FactorKind string

// The values of [FactorKind].
const (
	FactorPasskey FactorKind = "passkey" // Web Authentication, level 2
	FactorTOTP    FactorKind = "totp"    // RFC 6238
)

// Known reports whether v is a value of the enumeration.
func (v FactorKind) Known() bool { return oneOf(v, FactorPasskey, FactorTOTP) }

// AccountAction is the action recorded in a person's own log.
type AccountAction string

// The values of [AccountAction].
const (
	AccountMade            AccountAction = "account.made"
	AccountTaken           AccountAction = "account.taken_over"
	AccountSignedIn        AccountAction = "sign_in"
	AccountRefused         AccountAction = "sign_in.failed"
	AccountFactorUsed      AccountAction = "factor.used"
	AccountFactorRefused   AccountAction = "factor.failed"
	AccountProved          AccountAction = "proof"
	AccountSignedOut       AccountAction = "session.ended"
	AccountPasswordChanged AccountAction = "password.changed"
	AccountPasswordReset   AccountAction = "password.reset"
	AccountResetAsked      AccountAction = "password.reset_asked"
	AccountVerified        AccountAction = "address.verified"
	AccountMoved           AccountAction = "address.changed"
	AccountFactorAdded     AccountAction = "factor.added"
	AccountFactorRemoved   AccountAction = "factor.removed"
	AccountCodesMade       AccountAction = "recovery_codes.made"
	AccountCodeUsed        AccountAction = "recovery_code.used"
	AccountTokenMade       AccountAction = "staff_token.made"
	AccountJoined          AccountAction = "store.joined"
	AccountLeft            AccountAction = "store.left"
)
