export interface paths {
    "/api/v1/webhooks/incoming/{listener_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trigger the automation of a listener, once for each event
         * @description Authenticated by HMAC (`Webhook-Signature`) or by JWT (`Authorization: Bearer <JWT>`, signed with a key of the JWKS and bound to this request), as the listener says. Any valid JSON, at most 64 KB.
         */
        post: operations["receiveWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/skip-step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip the current step of a task */
        post: operations["svc.api.task.v1.TaskActionsService.SkipStep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve the current step (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deny the current step, which closes the task (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/reassign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reassign the current step to other approvers (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Reassign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/comment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Comment on a task, open or closed (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restart the workflow of a task (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/action/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a task (addition) */
        post: operations["svc.api.task.v1.TaskActionsService.Close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a task and begin the first step of its policy (addition) */
        post: operations["createTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a task with its related objects (addition) */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search tasks, newest first (addition) */
        post: operations["searchTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the actions on a task, oldest first (addition) */
        get: operations["listTaskActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/task/audits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the audit trail of a task, oldest first (addition) */
        post: operations["listTaskAudits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all policies, oldest first (addition) */
        get: operations["listPolicies"];
        put?: never;
        /** Create a policy (addition) */
        post: operations["createPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/policies/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One policy (addition) */
        get: operations["getPolicy"];
        put?: never;
        post?: never;
        /** Delete a policy; its tasks continue (addition) */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        /** Change a policy; absent fields stay unchanged (addition) */
        patch: operations["patchPolicy"];
        trace?: never;
    };
    "/api/v1/search/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search policies, oldest first (addition) */
        post: operations["searchPolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app_id}/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the entitlements of an app, by name */
        get: operations["listAppEntitlements"];
        put?: never;
        /** Create one of the entitlements (addition) */
        post: operations["createAppEntitlement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create or update many objects at once, as a seed file does; deletes nothing (addition) */
        post: operations["importDirectory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create one of the users (addition) */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create one of the apps (addition) */
        post: operations["createApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apps/{app_id}/app_users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create one of the appUsers (addition) */
        post: operations["createAppUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access_reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create one of the accessReviews (addition) */
        post: operations["createAccessReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/insights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create one of the insights (addition) */
        post: operations["createInsight"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The automations, newest first (addition) */
        get: operations["listAutomations"];
        put?: never;
        /**
         * Create an automation with its incoming-webhook trigger (addition)
         * @description Creates the listener URL, and for HMAC the secret, which is shown only here. Nothing runs until it is published and its trigger is enabled. Requires the role `super_admin`.
         */
        post: operations["createAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{automation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One automation (addition) */
        get: operations["getAutomation"];
        put?: never;
        post?: never;
        /** Delete an automation with its listener and secrets; accepted runs continue (addition) */
        delete: operations["deleteAutomation"];
        options?: never;
        head?: never;
        /** Change the fields that are present; enable or disable the trigger (addition) */
        patch: operations["patchAutomation"];
        trace?: never;
    };
    "/api/v1/search/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search automations, newest first (addition) */
        post: operations["searchAutomations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{automation_id}/action/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Publish the current steps (addition) */
        post: operations["publishAutomation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listeners/{listener_id}/action/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new signing secret; the previous one stays live (addition)
         * @description At most two secrets are live: a third one withdraws the oldest. Requires the role `super_admin`.
         */
        post: operations["rotateListenerSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/listeners/{listener_id}/secrets/{secret_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw a live secret; deliveries signed with it are then refused (addition) */
        delete: operations["withdrawListenerSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{automation_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the runs of an automation, newest first, with inputs, outcomes and errors (addition) */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/automations/{automation_id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the record steps of an automation stored, newest first (addition) */
        get: operations["listRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run (addition) */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The specification does not define this body. */
        AcceptedWebhook: {
            runId: string;
        };
        TaskServiceActionResponse: {
            taskView: components["schemas"]["TaskView"] | null;
            ticketActionId: string;
            expanded: ({
                "@type": string;
            } & {
                [key: string]: unknown;
            })[] | null;
        };
        TaskView: {
            task: components["schemas"]["Task"] | null;
            objectPermissions: components["schemas"]["ActorObjectPermissions"] | null;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly accessReviewPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly appPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly appUserPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly appUserLastUsagePath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly approversPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly stepApproversPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly createdByUserPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly entitlementsPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly identityUserPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly insightsPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly userPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly principalResourcePath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly resourceBindingsPath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly roleResourcePath: string;
            /** @description A JSONPath into the response's `expanded`. Empty if there is no such object. */
            readonly scopeResourcePath: string;
        };
        Task: {
            readonly id: string;
            /**
             * Format: int64
             * @description A decimal string. Paths accept it instead of the ID.
             * @example 1
             */
            readonly numericId: string;
            readonly displayName: string;
            readonly description: string;
            readonly state: ("TASK_STATE_UNSPECIFIED" | "TASK_STATE_OPEN" | "TASK_STATE_CLOSED") | string;
            readonly processing: ("TASK_PROCESSING_TYPE_UNSPECIFIED" | "TASK_PROCESSING_TYPE_PROCESSING" | "TASK_PROCESSING_TYPE_WAITING" | "TASK_PROCESSING_TYPE_DONE") | string;
            origin: ("TASK_ORIGIN_UNSPECIFIED" | "TASK_ORIGIN_PROFILE_MEMBERSHIP_AUTOMATION" | "TASK_ORIGIN_CHAT" | "TASK_ORIGIN_API" | "TASK_ORIGIN_TICKETING" | "TASK_ORIGIN_COPILOT" | "TASK_ORIGIN_WEBAPP" | "TASK_ORIGIN_TIME_REVOKE" | "TASK_ORIGIN_NON_USAGE_REVOKE" | "TASK_ORIGIN_PROFILE_MEMBERSHIP_MANUAL" | "TASK_ORIGIN_PROFILE_MEMBERSHIP" | "TASK_ORIGIN_AUTOMATION" | "TASK_ORIGIN_ACCESS_REVIEW" | "TASK_ORIGIN_CASCADE_DELETE") | string;
            type: components["schemas"]["TaskType"] | null;
            readonly userId: string;
            readonly createdByUserId: string;
            /** Format: date-time */
            readonly createdAt: string | null;
            /** Format: date-time */
            readonly updatedAt: string | null;
            /** Format: date-time */
            readonly deletedAt: string | null;
            /** @description The actions that the caller may take. */
            readonly actions: (("TASK_ACTION_TYPE_UNSPECIFIED" | "TASK_ACTION_TYPE_CLOSE" | "TASK_ACTION_TYPE_APPROVE" | "TASK_ACTION_TYPE_DENY" | "TASK_ACTION_TYPE_COMMENT" | "TASK_ACTION_TYPE_DELETE" | "TASK_ACTION_TYPE_REASSIGN" | "TASK_ACTION_TYPE_RESTART" | "TASK_ACTION_TYPE_SEND_REMINDER" | "TASK_ACTION_TYPE_PROVISION_COMPLETE" | "TASK_ACTION_TYPE_PROVISION_CANCELLED" | "TASK_ACTION_TYPE_PROVISION_ERRORED" | "TASK_ACTION_TYPE_ROLLBACK_SKIPPED" | "TASK_ACTION_TYPE_PROVISION_APP_USER_TARGET_CREATED" | "TASK_ACTION_TYPE_HARD_RESET" | "TASK_ACTION_TYPE_ESCALATE_TO_EMERGENCY_ACCESS" | "TASK_ACTION_TYPE_CHANGE_POLICY" | "TASK_ACTION_TYPE_RECALCULATE_DENIAL_FROM_BASE_POLICY_DECISIONS" | "TASK_ACTION_TYPE_SET_INSIGHTS_AND_RECOMMENDATION" | "TASK_ACTION_TYPE_SET_ANALYSIS_ID" | "TASK_ACTION_TYPE_RECALCULATE_APPROVERS_LIST" | "TASK_ACTION_TYPE_PROCESS_NOW" | "TASK_ACTION_TYPE_APPROVE_WITH_STEP_UP" | "TASK_ACTION_TYPE_SKIP_STEP" | "TASK_ACTION_TYPE_ROLLBACK_CANCELLED" | "TASK_ACTION_TYPE_UPDATE_REQUEST_DATA" | "TASK_ACTION_TYPE_UPDATE_GRANT_DURATION" | "TASK_ACTION_TYPE_RETRY_PROVISIONING") | string)[] | null;
            readonly annotations: ({
                "@type": string;
            } & {
                [key: string]: unknown;
            })[] | null;
            readonly approverIds: string[] | null;
            readonly stepApproverIds: string[] | null;
            /** Format: int32 */
            readonly commentCount: number;
            readonly data: {
                [key: string]: unknown;
            } | null;
            readonly emergencyAccess: boolean;
            readonly externalRefs: components["schemas"]["ExternalRef"][] | null;
            form: components["schemas"]["Form"] | null;
            insightIds: string[] | null;
            recommendation: ("INSIGHT_RECOMMENDATION_UNSPECIFIED" | "INSIGHT_RECOMMENDATION_APPROVE" | "INSIGHT_RECOMMENDATION_DENY" | "INSIGHT_RECOMMENDATION_REVIEW") | string;
            readonly analysisId: string;
            policy: components["schemas"]["PolicyInstance"] | null;
            readonly policyGenerationId: string;
            readonly revocationTargets: components["schemas"]["TaskRevocationTarget"][] | null;
        };
        /** @description Exactly one member is set. */
        TaskType: {
            grant: components["schemas"]["TaskTypeGrant"] | null;
            revoke: components["schemas"]["TaskTypeRevoke"] | null;
            certify: components["schemas"]["TaskTypeCertify"] | null;
            offboarding: components["schemas"]["TaskTypeOffboarding"] | null;
            action: components["schemas"]["TaskTypeAction"] | null;
            finding: components["schemas"]["TaskTypeFinding"] | null;
        };
        TaskTypeGrant: {
            readonly appEntitlementId: string;
            readonly appId: string;
            readonly appUserId: string;
            readonly identityUserId: string;
            /** @description Seconds, as in `3600s`. */
            readonly grantDuration: string | null;
            readonly outcome: ("GRANT_OUTCOME_UNSPECIFIED" | "GRANT_OUTCOME_GRANTED" | "GRANT_OUTCOME_DENIED" | "GRANT_OUTCOME_ERROR" | "GRANT_OUTCOME_CANCELLED" | "GRANT_OUTCOME_WAIT_TIMED_OUT") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
            readonly source: components["schemas"]["TaskGrantSource"] | null;
        };
        /** @description The specification does not show its fields. */
        TaskGrantSource: {
            [key: string]: unknown;
        };
        TaskTypeRevoke: {
            readonly appEntitlementId: string;
            readonly appId: string;
            readonly appUserId: string;
            readonly identityUserId: string;
            readonly outcome: ("REVOKE_OUTCOME_UNSPECIFIED" | "REVOKE_OUTCOME_REVOKED" | "REVOKE_OUTCOME_DENIED" | "REVOKE_OUTCOME_ERROR" | "REVOKE_OUTCOME_CANCELLED" | "REVOKE_OUTCOME_WAIT_TIMED_OUT") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
            readonly resource: components["schemas"]["AppResourceRef"] | null;
            readonly source: components["schemas"]["TaskRevokeSource"] | null;
        };
        /** @description The specification does not show its fields. */
        AppResourceRef: {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        TaskRevokeSource: {
            [key: string]: unknown;
        };
        TaskTypeCertify: {
            readonly accessReviewId: string;
            readonly accessReviewSelection: string;
            readonly appEntitlementId: string;
            readonly appId: string;
            readonly appUserId: string;
            readonly identityUserId: string;
            readonly outcome: ("CERTIFY_OUTCOME_UNSPECIFIED" | "CERTIFY_OUTCOME_CERTIFIED" | "CERTIFY_OUTCOME_DECERTIFIED" | "CERTIFY_OUTCOME_ERROR" | "CERTIFY_OUTCOME_CANCELLED" | "CERTIFY_OUTCOME_WAIT_TIMED_OUT") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
            readonly resource: components["schemas"]["AppResourceRef"] | null;
        };
        TaskTypeOffboarding: {
            readonly subjectUserId: string;
            readonly outcome: ("OFFBOARDING_OUTCOME_UNSPECIFIED" | "OFFBOARDING_OUTCOME_IN_PROGRESS" | "OFFBOARDING_OUTCOME_DONE" | "OFFBOARDING_OUTCOME_ERROR" | "OFFBOARDING_OUTCOME_CANCELLED") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
        };
        TaskTypeAction: {
            /** @description Empty for synthesized action tasks. */
            readonly actionId: string;
            readonly actionInstance: components["schemas"]["ActionInstance"] | null;
            readonly displayName: string;
            readonly type: ("TYPE_UNSPECIFIED" | "TYPE_GRANT" | "TYPE_WORKFLOW" | "TYPE_RESOURCE_ACTION" | "TYPE_TOOL_CALL" | "TYPE_MANUAL") | string;
            readonly formValues: {
                [key: string]: unknown;
            } | null;
            readonly outcome: ("ACTION_OUTCOME_UNSPECIFIED" | "ACTION_OUTCOME_SUCCESS" | "ACTION_OUTCOME_DENIED" | "ACTION_OUTCOME_ERROR" | "ACTION_OUTCOME_CANCELLED") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
            readonly createdAppResourceId: string;
            readonly createdAppResourceTypeId: string;
            readonly createdAppEntitlementIds: string[] | null;
            readonly scopeRole: components["schemas"]["ScopeRole"] | null;
            readonly toolCall: components["schemas"]["GatedToolCallTarget"] | null;
            readonly finding: components["schemas"]["FindingTarget"] | null;
        };
        /** @description The specification names its members, but does not show their fields. */
        ActionInstance: {
            /** @description Set if the step ended this way. An addition. */
            skipped?: {
                /** Format: date-time */
                skippedAt: string;
                userId: string;
                comment: string;
            };
            /** @description Set if the step ended this way. An addition. */
            approved?: {
                /** Format: date-time */
                approvedAt: string;
                userId: string;
                comment: string;
            };
            /** @description Set if the step ended this way. An addition. */
            completed?: {
                /** Format: date-time */
                completedAt: string;
                userId: string;
                comment: string;
            };
            denied: {
                [key: string]: unknown;
            } | null;
            /** @description Set if the step ended this way. An addition. */
            reassigned?: {
                /** Format: date-time */
                reassignedAt: string;
                userId: string;
                comment: string;
                newPolicyStepId: string;
            };
            /** @description Set if the step ended this way. An addition. */
            restarted?: {
                /** Format: date-time */
                restartedAt: string;
                userId: string;
                comment: string;
                oldPolicyStepId: string;
            };
            cancelled: {
                [key: string]: unknown;
            } | null;
            /** @description Set if the step ended this way. An addition. */
            accepted?: {
                /** Format: date-time */
                acceptedAt: string;
                userId: string;
                comment: string;
            };
            /** @description Set if the step ended this way. An addition. */
            rejected?: {
                /** Format: date-time */
                rejectedAt: string;
                userId: string;
                comment: string;
            };
            action: {
                [key: string]: unknown;
            } | null;
            automation: {
                [key: string]: unknown;
            } | null;
            batonResourceActionInstance: {
                [key: string]: unknown;
            } | null;
            clientIdApprovalInstance: {
                [key: string]: unknown;
            } | null;
            success: {
                [key: string]: unknown;
            } | null;
            error: {
                [key: string]: unknown;
            } | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        ScopeRole: {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        GatedToolCallTarget: {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        FindingTarget: {
            [key: string]: unknown;
        };
        TaskTypeFinding: {
            readonly findingId: string;
            readonly findingType: string;
            readonly outcome: ("FINDING_TASK_OUTCOME_UNSPECIFIED" | "FINDING_TASK_OUTCOME_REMEDIATED" | "FINDING_TASK_OUTCOME_RISK_ACCEPTED" | "FINDING_TASK_OUTCOME_CANCELLED") | string;
            /** Format: date-time */
            readonly outcomeTime: string | null;
        };
        ExternalRef: {
            readonly externalRefSource: ("UNSPECIFIED" | "TICKETING") | string;
            readonly name: string;
            readonly url: string;
        };
        /** @description What a request omits becomes empty, false or null. */
        Form: {
            /** @default  */
            id?: string;
            /** @default  */
            displayName?: string;
            /** @default  */
            description?: string;
            /** @default null */
            fields?: components["schemas"]["Field"][] | null;
            /** @default null */
            fieldGroups?: components["schemas"]["FieldGroup"][] | null;
            /** @default null */
            fieldRelationships?: components["schemas"]["FieldRelationship"][] | null;
        };
        /** @description Exactly one type member and one provider config member are set. */
        Field: {
            /** @default  */
            name?: string;
            /** @default  */
            displayName?: string;
            /** @default  */
            description?: string;
            /** @default false */
            required?: boolean;
            /** @default false */
            readOnly?: boolean;
            /** @default null */
            stringField?: components["schemas"]["StringField"] | null;
            /** @default null */
            boolField?: components["schemas"]["BoolField"] | null;
            /** @default null */
            stringSliceField?: components["schemas"]["StringSliceField"] | null;
            /** @default null */
            int64Field?: components["schemas"]["Int64Field"] | null;
            /** @default null */
            fileField?: components["schemas"]["FileField"] | null;
            /** @default null */
            oauth2Field?: components["schemas"]["Oauth2Field"] | null;
            /** @default null */
            stringMapField?: components["schemas"]["StringMapField"] | null;
            /** @default null */
            userConfig?: components["schemas"]["UserConfig"] | null;
            /** @default null */
            adminConfig?: components["schemas"]["AdminConfig"] | null;
            /** @default null */
            sharedConfig?: components["schemas"]["SharedConfig"] | null;
        };
        StringField: {
            /** @default  */
            defaultValue?: string;
            /** @default  */
            placeholder?: string;
            /** @default null */
            rules?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            textField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            passwordField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            selectField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            pickerField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            dateField?: {
                [key: string]: unknown;
            } | null;
        };
        BoolField: {
            /** @default false */
            defaultValue?: boolean;
            /** @default null */
            rules?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            checkboxField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            toggleField?: {
                [key: string]: unknown;
            } | null;
        };
        StringSliceField: {
            /** @default null */
            defaultValues?: string[] | null;
            /** @default  */
            placeholder?: string;
            /** @default null */
            rules?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            chipsField?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            pickerField?: {
                [key: string]: unknown;
            } | null;
        };
        Int64Field: {
            /**
             * Format: int64
             * @description A decimal string.
             * @default null
             */
            defaultValue?: string | null;
            /** @default  */
            placeholder?: string;
            /** @default null */
            rules?: {
                [key: string]: unknown;
            } | null;
            /** @default null */
            numberField?: {
                [key: string]: unknown;
            } | null;
        };
        FileField: {
            /** @default null */
            acceptedFileTypes?: string[] | null;
            /**
             * Format: int64
             * @description A decimal string.
             * @default null
             */
            maxFileSize?: string | null;
            /** @default null */
            fileInputField?: {
                [key: string]: unknown;
            } | null;
        };
        Oauth2Field: {
            /** @default null */
            oauth2FieldView?: {
                [key: string]: unknown;
            } | null;
        };
        StringMapField: {
            defaultValue?: {
                [key: string]: string;
            };
            /** @default null */
            rules?: {
                [key: string]: unknown;
            } | null;
        };
        UserConfig: {
            /** @default  */
            inputTransformationCel?: string;
        };
        AdminConfig: {
            /** @default  */
            defaultValueCel?: string;
            /** @default false */
            showToUser?: boolean;
        };
        SharedConfig: {
            /** @default  */
            defaultValueCel?: string;
            /** @default  */
            inputTransformationCel?: string;
            /** @default false */
            lockDefaultValues?: boolean;
        };
        FieldGroup: {
            /** @default  */
            name?: string;
            /** @default  */
            displayName?: string;
            /** @default  */
            helpText?: string;
            /** @default false */
            default?: boolean;
            /** @default null */
            fields?: string[] | null;
        };
        FieldRelationship: {
            /** @default null */
            fieldNames?: string[] | null;
            /** @default null */
            requiredTogether?: Record<string, never> | null;
            /** @default null */
            atLeastOne?: Record<string, never> | null;
            /** @default null */
            mutuallyExclusive?: Record<string, never> | null;
            /** @default null */
            dependentOn?: {
                /** @default null */
                dependencyFieldNames?: string[] | null;
            } | null;
        };
        PolicyInstance: {
            current: components["schemas"]["PolicyStepInstance"] | null;
            readonly history: components["schemas"]["PolicyStepInstance"][] | null;
            readonly next: components["schemas"]["PolicyStep"][] | null;
            policy: components["schemas"]["Policy"] | null;
        };
        PolicyStepInstance: {
            approval: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            provision: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            accept: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
                acceptMessage?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            reject: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            wait: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            form: ({
                /** @description Set if the step ended this way. An addition. */
                skipped?: {
                    /** Format: date-time */
                    skippedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                approved?: {
                    /** Format: date-time */
                    approvedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                completed?: {
                    /** Format: date-time */
                    completedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                denied?: {
                    /** Format: date-time */
                    deniedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                reassigned?: {
                    /** Format: date-time */
                    reassignedAt: string;
                    userId: string;
                    comment: string;
                    newPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                restarted?: {
                    /** Format: date-time */
                    restartedAt: string;
                    userId: string;
                    comment: string;
                    oldPolicyStepId: string;
                };
                /** @description Set if the step ended this way. An addition. */
                cancelled?: {
                    /** Format: date-time */
                    cancelledAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                accepted?: {
                    /** Format: date-time */
                    acceptedAt: string;
                    userId: string;
                    comment: string;
                };
                /** @description Set if the step ended this way. An addition. */
                rejected?: {
                    /** Format: date-time */
                    rejectedAt: string;
                    userId: string;
                    comment: string;
                };
            } & {
                [key: string]: unknown;
            }) | null;
            action: components["schemas"]["ActionInstance"] | null;
            /** @description The `policyStepId` of Skip Step. */
            readonly id: string;
            policyGenerationId: string;
            readonly state: ("POLICY_STEP_STATE_UNSPECIFIED" | "POLICY_STEP_STATE_ACTIVE" | "POLICY_STEP_STATE_DONE") | string;
        };
        PolicyStep: {
            approval: ({
                /** @description The users who may act. An addition. */
                userIds?: string[];
            } & {
                [key: string]: unknown;
            }) | null;
            provision: ({
                /** @description The users who may act. An addition. */
                userIds?: string[];
            } & {
                [key: string]: unknown;
            }) | null;
            accept: ({
                acceptMessage?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            reject: {
                [key: string]: unknown;
            } | null;
            wait: {
                [key: string]: unknown;
            } | null;
            form: {
                [key: string]: unknown;
            } | null;
            action: {
                [key: string]: unknown;
            } | null;
        };
        Policy: {
            readonly id: string;
            displayName: string;
            description: string;
            policyType: ("POLICY_TYPE_UNSPECIFIED" | "POLICY_TYPE_GRANT" | "POLICY_TYPE_REVOKE" | "POLICY_TYPE_CERTIFY" | "POLICY_TYPE_ACCESS_REQUEST" | "POLICY_TYPE_PROVISION") | string;
            policySteps: {
                [key: string]: components["schemas"]["PolicySteps"];
            };
            rules: components["schemas"]["Rule"][] | null;
            baselinePolicyId: string;
            postActions: components["schemas"]["PolicyPostActions"][] | null;
            scope: components["schemas"]["PolicyScope"] | null;
            annotations: {
                [key: string]: string;
            };
            /**
             * @deprecated
             * @description Unused.
             */
            reassignTasksToDelegates: boolean;
            readonly systemBuiltin: boolean;
            /** Format: date-time */
            readonly createdAt: string | null;
            /** Format: date-time */
            readonly updatedAt: string | null;
            /** Format: date-time */
            readonly deletedAt: string | null;
        };
        /** @description The specification does not show its fields. `steps` is an addition. */
        PolicySteps: {
            steps: components["schemas"]["PolicyStep"][];
        };
        /** @description The specification does not show its fields. Other members are kept as given. */
        Rule: {
            /** @description CEL over `ctx.task` and `ctx.user`; true selects. An addition. */
            condition: string;
            /** @description The key of the selected entry of `policySteps`. An addition. */
            policyKey: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        PolicyPostActions: {
            [key: string]: unknown;
        };
        /** @description The specification does not show its fields. */
        PolicyScope: {
            [key: string]: unknown;
        };
        TaskRevocationTarget: {
            entitlementRef: components["schemas"]["AppEntitlementRef"] | null;
        };
        AppEntitlementRef: {
            appId: string;
            id: string;
        };
        ActorObjectPermissions: {
            read: boolean;
            edit: boolean;
            delete: boolean;
            extra: {
                [key: string]: boolean;
            };
        };
        /** @description A refusal of the API (RFC 9457). Programs should use `code`. */
        Problem: {
            status: number;
            title: string;
            /**
             * @example request_invalid
             * @example body_not_json
             * @example text_not_storable
             * @example page_token_invalid
             * @example expand_path_unknown
             * @example reference_unknown
             * @example policy_invalid
             * @example webhook_invalid
             * @example unauthorized
             * @example forbidden
             * @example feature_disabled
             * @example route_unknown
             * @example task_unknown
             * @example policy_step_unknown
             * @example policy_unknown
             * @example app_unknown
             * @example automation_unknown
             * @example listener_unknown
             * @example secret_unknown
             * @example run_unknown
             * @example method_not_allowed
             * @example policy_step_done
             * @example policy_step_unassigned
             * @example task_closed
             * @example policy_builtin
             * @example policy_in_use
             * @example id_taken
             * @example policy_rule_failed
             * @example secret_last
             * @example body_too_large
             * @example internal
             * @example automation_not_running
             * @example evaluation_busy
             * @example evaluator_failed
             * @example unavailable
             */
            code: string;
            /** @description What is wrong and how to fix it, for a developer. */
            detail: string;
            /** @description With `request_invalid`: each invalid field, as a JSON pointer. */
            errors?: {
                pointer: string;
                detail: string;
            }[];
        };
        SkipStepRequest: {
            /** @description `task.policy.current.id`. */
            policyStepId: string;
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        TaskExpandMask: {
            paths?: ("*" | "access_review_id" | "user_id" | "created_by_user_id" | "app_id" | "app_user_id" | "app_entitlement_ids" | "step_approver_ids" | "approver_ids" | "identity_user_id" | "insight_ids" | "app_user_last_usage" | "entitlement_scope_bindings" | "scope_role_resources" | "resource")[] | null;
        };
        ApproveRequest: {
            /** @description `task.policy.current.id`. */
            policyStepId: string;
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        DenyRequest: {
            /** @description `task.policy.current.id`. */
            policyStepId: string;
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        ReassignRequest: {
            /** @description `task.policy.current.id`. */
            policyStepId: string;
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
            /** @description The new approvers. */
            newStepUserIds: string[];
        };
        CommentRequest: {
            comment: string;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        RestartRequest: {
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
            /** @description Must be the current step. Default: the current step. */
            policyStepId?: string | null;
        };
        CloseRequest: {
            comment?: string | null;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        TaskResponse: {
            taskView: components["schemas"]["TaskView"];
            expanded: ({
                "@type": string;
            } & {
                [key: string]: unknown;
            })[] | null;
        };
        CreateTaskRequest: {
            displayName?: string;
            description?: string;
            type: components["schemas"]["TaskTypeInput"];
            /** @description Default: the built-in policy of the type, if it has one. */
            policyId?: string;
            /** @description Default: the user whom the type targets. */
            userId?: string;
            /** @enum {string} */
            origin?: "TASK_ORIGIN_UNSPECIFIED" | "TASK_ORIGIN_PROFILE_MEMBERSHIP_AUTOMATION" | "TASK_ORIGIN_CHAT" | "TASK_ORIGIN_API" | "TASK_ORIGIN_TICKETING" | "TASK_ORIGIN_COPILOT" | "TASK_ORIGIN_WEBAPP" | "TASK_ORIGIN_TIME_REVOKE" | "TASK_ORIGIN_NON_USAGE_REVOKE" | "TASK_ORIGIN_PROFILE_MEMBERSHIP_MANUAL" | "TASK_ORIGIN_PROFILE_MEMBERSHIP" | "TASK_ORIGIN_AUTOMATION" | "TASK_ORIGIN_ACCESS_REVIEW" | "TASK_ORIGIN_CASCADE_DELETE";
            data?: {
                [key: string]: unknown;
            } | null;
            form?: components["schemas"]["Form"] | null;
            insightIds?: string[] | null;
            /** @enum {string} */
            recommendation?: "INSIGHT_RECOMMENDATION_UNSPECIFIED" | "INSIGHT_RECOMMENDATION_APPROVE" | "INSIGHT_RECOMMENDATION_DENY" | "INSIGHT_RECOMMENDATION_REVIEW";
            emergencyAccess?: boolean;
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        /** @description What the task requests. Set exactly one member. */
        TaskTypeInput: {
            grant?: {
                appId: string;
                appEntitlementId: string;
                appUserId?: string;
                identityUserId?: string;
                /** @description Seconds, as in `3600s`. */
                grantDuration?: string | null;
            } | null;
            revoke?: {
                appId: string;
                appEntitlementId: string;
                appUserId?: string;
                identityUserId?: string;
                resource?: ({
                    id: string;
                } & {
                    [key: string]: unknown;
                }) | null;
            } | null;
            certify?: {
                appId: string;
                appEntitlementId: string;
                appUserId?: string;
                identityUserId?: string;
                accessReviewId: string;
                resource?: ({
                    id: string;
                } & {
                    [key: string]: unknown;
                }) | null;
            } | null;
            offboarding?: {
                subjectUserId: string;
            } | null;
            action?: {
                actionId?: string;
                displayName?: string;
                formValues?: {
                    [key: string]: unknown;
                } | null;
                /** @default null */
                scopeRole?: {
                    [key: string]: unknown;
                } | null;
                /** @default null */
                toolCall?: {
                    [key: string]: unknown;
                } | null;
                /** @default null */
                finding?: {
                    [key: string]: unknown;
                } | null;
            } | null;
            finding?: {
                findingId: string;
                findingType: string;
            } | null;
        };
        SearchTasksResponse: {
            list: components["schemas"]["TaskView"][];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
            expanded: ({
                "@type": string;
            } & {
                [key: string]: unknown;
            })[] | null;
        };
        SearchTasksRequest: {
            /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
            page_size?: number;
            /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
            page_token?: string | null;
            /** @description Default: all. */
            taskStates?: ("TASK_STATE_UNSPECIFIED" | "TASK_STATE_OPEN" | "TASK_STATE_CLOSED")[];
            /** @description The users whom the tasks target. Default: any. */
            userIds?: string[];
            expandMask?: components["schemas"]["TaskExpandMask"] | null;
        };
        ListTaskActionsResponse: {
            list: {
                taskAction: components["schemas"]["TaskAction"];
            }[];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        TaskAction: {
            id: string;
            taskId: string;
            type: string;
            policyStepId: string;
            comment: string;
            userId: string;
            /** Format: date-time */
            createdAt: string | null;
        };
        ListTaskAuditsResponse: {
            list: {
                taskAudit: components["schemas"]["TaskAudit"];
            }[];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        TaskAudit: {
            id: string;
            taskId: string;
            event: ("TASK_AUDIT_EVENT_UNSPECIFIED" | "TASK_AUDIT_EVENT_CREATED" | "TASK_AUDIT_EVENT_ACTION" | "TASK_AUDIT_EVENT_ACCEPTED_BY_POLICY" | "TASK_AUDIT_EVENT_REJECTED_BY_POLICY" | "TASK_AUDIT_EVENT_CLOSED") | string;
            /** @description For an action, its type (2.6.2). `id` is then the `ticketActionId`. */
            action: string;
            /** @description The step that was acted on. Empty for the whole task. */
            policyStepId: string;
            comment: string;
            /** @description For a closed task, the outcome of its type. */
            outcome: string;
            /** @description The user who acted. Empty if the service acted, as the policy says. */
            userId: string;
            /** @description The run that acted for the user. Empty for API requests. */
            runId: string;
            /** Format: date-time */
            createdAt: string | null;
        };
        ListTaskAuditsRequest: {
            /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
            page_size?: number;
            /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
            page_token?: string | null;
            /** @description The ID of the task, or its numeric ID. */
            taskId: string;
        };
        ListPoliciesResponse: {
            list: components["schemas"]["PolicyResponse"][];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        PolicyResponse: {
            policy: components["schemas"]["Policy"];
        };
        SearchPoliciesResponse: {
            list: components["schemas"]["PolicyResponse"][];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        SearchPoliciesRequest: {
            /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
            page_size?: number;
            /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
            page_token?: string | null;
            /** @description Part of the display name or description. Ignores case. */
            query?: string;
            /** @description Default: all. */
            refs?: {
                id: string;
            }[];
            /** @description The whole display name. Ignores case. */
            displayName?: string;
            /** @description Default: all. */
            policyTypes?: ("POLICY_TYPE_UNSPECIFIED" | "POLICY_TYPE_GRANT" | "POLICY_TYPE_REVOKE" | "POLICY_TYPE_CERTIFY" | "POLICY_TYPE_ACCESS_REQUEST" | "POLICY_TYPE_PROVISION")[];
            excludePolicyIds?: string[];
            includeDeleted?: boolean;
        };
        UpdatePolicyRequest: {
            displayName?: string;
            description?: string;
            /** @description The baseline under the lower-case policy type, and the steps for rules under UUIDs. */
            policySteps?: {
                [key: string]: {
                    steps: components["schemas"]["PolicyStepInput"][];
                };
            };
            rules?: components["schemas"]["Rule"][] | null;
            /** @description The policy to use instead of a baseline entry. */
            baselinePolicyId?: string;
            postActions?: components["schemas"]["PolicyPostActions"][] | null;
            scope?: components["schemas"]["PolicyScope"] | null;
            /** @description Absent keys are kept, and an empty value deletes its key. `c1/` is reserved. */
            annotations?: {
                [key: string]: string;
            };
            /**
             * @deprecated
             * @description Unused.
             */
            reassignTasksToDelegates?: boolean;
        };
        PolicyStepInput: {
            approval?: ({
                /** @description The users who may act. An addition. */
                userIds?: string[];
            } & {
                [key: string]: unknown;
            }) | null;
            provision?: ({
                /** @description The users who may act. An addition. */
                userIds?: string[];
            } & {
                [key: string]: unknown;
            }) | null;
            accept?: ({
                acceptMessage?: string;
            } & {
                [key: string]: unknown;
            }) | null;
            reject?: {
                [key: string]: unknown;
            } | null;
            wait?: {
                [key: string]: unknown;
            } | null;
            form?: {
                [key: string]: unknown;
            } | null;
            action?: {
                [key: string]: unknown;
            } | null;
        };
        DeletePolicyResponse: Record<string, never>;
        CreatePolicyRequest: {
            displayName: string;
            description?: string;
            /** @description The baseline under the lower-case policy type, and the steps for rules under UUIDs. */
            policySteps?: {
                [key: string]: {
                    steps: components["schemas"]["PolicyStepInput"][];
                };
            };
            rules?: components["schemas"]["Rule"][] | null;
            /** @description The policy to use instead of a baseline entry. */
            baselinePolicyId?: string;
            postActions?: components["schemas"]["PolicyPostActions"][] | null;
            scope?: components["schemas"]["PolicyScope"] | null;
            /** @description Absent keys are kept, and an empty value deletes its key. `c1/` is reserved. */
            annotations?: {
                [key: string]: string;
            };
            /**
             * @deprecated
             * @description Unused.
             */
            reassignTasksToDelegates?: boolean;
            /** @enum {string} */
            policyType: "POLICY_TYPE_GRANT" | "POLICY_TYPE_REVOKE" | "POLICY_TYPE_CERTIFY" | "POLICY_TYPE_ACCESS_REQUEST" | "POLICY_TYPE_PROVISION";
        };
        ListAppEntitlementsResponse: {
            list: {
                appEntitlement: components["schemas"]["AppEntitlement"];
            }[];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        /** @description The specification names this object (4.3) but shows no fields. All fields are additions. */
        AppEntitlement: {
            id: string;
            appId: string;
            displayName: string;
            description: string;
            /** Format: date-time */
            createdAt: string | null;
        };
        ImportResponse: Record<string, never>;
        /** @description All objects except automations, policies and tasks. */
        Directory: {
            $schema?: string;
            /** @default [] */
            users?: {
                id: string;
                displayName: string;
                /** @default  */
                email?: string;
            }[];
            /** @default [] */
            apps?: {
                id: string;
                displayName: string;
            }[];
            /** @default [] */
            entitlements?: {
                id: string;
                appId: string;
                displayName: string;
                /** @default  */
                description?: string;
            }[];
            /** @default [] */
            appUsers?: {
                id: string;
                appId: string;
                displayName: string;
                /** @description The user who owns the account, if known. */
                identityUserId?: string;
                /** Format: date-time */
                lastUsedAt?: string | null;
            }[];
            /** @default [] */
            accessReviews?: ({
                id: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @default [] */
            insights?: ({
                id: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @default [] */
            appResources?: ({
                id: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @default [] */
            entitlementScopeBindings?: ({
                id: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        NewUser: {
            id?: string;
            displayName: string;
            /** @default  */
            email?: string;
        };
        NewApp: {
            id?: string;
            displayName: string;
        };
        NewEntitlement: {
            id?: string;
            displayName: string;
            /** @default  */
            description?: string;
        };
        NewAppUser: {
            id?: string;
            displayName: string;
            /** @description The user who owns the account, if known. */
            identityUserId?: string;
            /** Format: date-time */
            lastUsedAt?: string | null;
        };
        /** @description The specification does not show its fields. They are kept as given. */
        NewRelatedObject: {
            id?: string;
        } & {
            [key: string]: unknown;
        };
        ListAutomationsResponse: {
            list: components["schemas"]["AutomationResponse"][];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        AutomationResponse: {
            automation: components["schemas"]["Automation"];
        };
        /** @description The specification describes automations (4.2) but shows no fields. */
        Automation: {
            id: string;
            displayName: string;
            description: string;
            /** @description The steps as last edited. */
            steps: components["schemas"]["AutomationStep"][];
            /** @description The version whose steps run. Null if never published: nothing runs. */
            publishedVersion: number | null;
            trigger: {
                /** @description A disabled trigger runs nothing (4.2, rule 3). */
                enabled: boolean;
                incomingWebhook: components["schemas"]["IncomingWebhook"];
            };
            createdByUserId: string;
            /** Format: date-time */
            createdAt: string | null;
            /** Format: date-time */
            updatedAt: string | null;
        };
        AutomationStep: components["schemas"]["SkipStepStep"] | components["schemas"]["CreateTaskStep"] | components["schemas"]["RecordStep"];
        SkipStepStep: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "skip_step";
            /** @description CEL over `ctx.trigger`, the body of the webhook. Returns the task: its ID, or its numeric ID as a string or a number. */
            taskIdCel: string;
            /** @description CEL over `ctx.trigger`, the body of the webhook. Returns the ID of the step to skip. Default: the current step. */
            policyStepIdCel?: string;
            /** @description CEL over `ctx.trigger`, the body of the webhook. Returns the comment. */
            commentCel?: string;
        };
        CreateTaskStep: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "create_task";
            /** @description CEL over `ctx.trigger`, the body of the webhook. Returns the body of a `POST /api/v1/tasks`. */
            taskCel: string;
        };
        RecordStep: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "record";
            /** @description CEL over `ctx.trigger`, the body of the webhook. Returns the value to record. */
            valueCel: string;
        };
        IncomingWebhook: {
            listenerId: string;
            /** @description The URL that the sender posts to. In JWT mode also the required `aud`. */
            url: string;
            allowedCidrs: string[] | null;
            hmac: {
                secrets: components["schemas"]["LiveSecret"][];
            } | null;
            jwt: {
                jwksUrl: string;
            } | null;
        };
        /** @description The secret itself is not returned again. */
        LiveSecret: {
            id: string;
            /** Format: date-time */
            createdAt: string | null;
        };
        SearchAutomationsResponse: {
            list: components["schemas"]["AutomationResponse"][];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        SearchAutomationsRequest: {
            /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
            page_size?: number;
            /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
            page_token?: string | null;
            /** @description Part of the display name or description. Ignores case. */
            query?: string;
            /** @description Default: all. */
            refs?: {
                id: string;
            }[];
        };
        AutomationPatch: {
            displayName?: string;
            description?: string;
            /** @description Steps run only after you publish them. */
            steps?: components["schemas"]["AutomationStep"][];
            trigger?: {
                /** @description A disabled trigger runs nothing (4.2, rule 3). */
                enabled?: boolean;
                incomingWebhook?: components["schemas"]["IncomingWebhookPatch"];
            };
        };
        IncomingWebhookPatch: {
            /**
             * @description The networks that may send, e.g. `192.0.2.0/24`.
             * @example [
             *       "192.0.2.0/24"
             *     ]
             */
            allowedCidrs?: string[] | null;
            jwt?: components["schemas"]["IncomingWebhookJwt"];
        };
        IncomingWebhookJwt: {
            /**
             * Format: uri
             * @description The `https:` URL of the sender's JWKS, at a public address.
             */
            jwksUrl: string;
        };
        DeleteAutomationResponse: Record<string, never>;
        CreateAutomationResponse: {
            automation: components["schemas"]["Automation"];
            signingSecret: components["schemas"]["SigningSecret"] | null;
        };
        SigningSecret: {
            /** @description Identifies the secret in runs and in the automation. */
            id: string;
            /** @description 256 bits as base64url. Shown only here. */
            secret: string;
        };
        NewAutomation: {
            displayName: string;
            /** @default  */
            description?: string;
            steps: components["schemas"]["AutomationStep"][];
            trigger: {
                /**
                 * @description A disabled trigger runs nothing (4.2, rule 3).
                 * @default false
                 */
                enabled?: boolean;
                incomingWebhook: components["schemas"]["NewIncomingWebhook"];
            };
        };
        NewIncomingWebhook: {
            /**
             * @description The networks that may send, e.g. `192.0.2.0/24`.
             * @example [
             *       "192.0.2.0/24"
             *     ]
             */
            allowedCidrs?: string[] | null;
            /** @description The service generates the secret. */
            hmac?: Record<string, never> | null;
            jwt?: components["schemas"]["IncomingWebhookJwt"] | null;
        };
        RotateSecretResponse: {
            signingSecret: components["schemas"]["SigningSecret"];
        };
        WithdrawSecretResponse: {
            secrets: components["schemas"]["LiveSecret"][];
        };
        ListRunsResponse: {
            list: {
                run: components["schemas"]["Run"];
            }[];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        /** @description One per accepted event. */
        Run: {
            id: string;
            automationId: string;
            /** @description The published version whose steps run. */
            version: number;
            listenerId: string;
            /** @description `Webhook-Event-Id`, in lower case. */
            eventId: string;
            /** @description The unchanged body, as JSON in a string. */
            input: string;
            state: ("RUN_STATE_UNSPECIFIED" | "RUN_STATE_PENDING" | "RUN_STATE_RUNNING" | "RUN_STATE_SUCCEEDED" | "RUN_STATE_FAILED") | string;
            /** @description The finished steps, in order. */
            steps: components["schemas"]["RunStep"][];
            /** Format: date-time */
            createdAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
        };
        RunStep: {
            type: string;
            state: ("RUN_STEP_STATE_UNSPECIFIED" | "RUN_STEP_STATE_DONE" | "RUN_STEP_STATE_FAILED") | string;
            /** @description What was skipped, created or recorded, as JSON in a string. */
            outcome: string | null;
            /** @description The code of a problem, or `expression_failed`, or `given_up`. */
            error: {
                code: string;
                detail: string;
            } | null;
            /** Format: date-time */
            finishedAt: string | null;
        };
        ListRecordsResponse: {
            list: {
                record: components["schemas"]["Record"];
            }[];
            /** @description Empty when there are no more results. */
            nextPageToken: string;
        };
        /** @description What a `record` step kept. */
        Record: {
            id: string;
            runId: string;
            /** @description JSON in a string. */
            value: string;
            /** Format: date-time */
            createdAt: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    receiveWebhook: {
        parameters: {
            query?: never;
            header: {
                /** @description Unix time in seconds, within 5 minutes of now. */
                "Webhook-Timestamp": string;
                /** @description New for each event, the same for each of its attempts. */
                "Webhook-Event-Id": string;
                /** @description HMAC: base64url of HMAC-SHA256 over `<timestamp>.<event_id>.<body>`. */
                "Webhook-Signature"?: string;
            };
            path: {
                /** @example 00000000-0000-4000-8000-00000000000a */
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "task": 2,
                 *       "approved by": "payroll"
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Accepted: the event and its run are committed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedWebhook"];
                };
            };
            /** @description The headers, timestamp, event ID, size or JSON are invalid. See `code`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `source_ip_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `listener_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `method_not_allowed`: only POST, as `Allow` says. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `event_duplicate`: accepted before. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
            /** @description `automation_not_running`, `unavailable`: not recorded. `event_in_progress`: another delivery of it is being accepted. Send it again after `Retry-After`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        status: number;
                        title: string;
                        /**
                         * @example timestamp_out_of_range
                         * @example source_ip_not_allowed
                         * @example event_duplicate
                         */
                        code: string;
                        /** @description What is wrong and how to fix it, for a developer. */
                        detail?: string;
                    };
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.SkipStep": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 1
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policyStepId": "step-1",
                 *       "comment": "Approved by phone."
                 *     }
                 */
                "application/json": components["schemas"]["SkipStepRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown`, `policy_step_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_step_done`, `task_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 3
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policyStepId": "step-3",
                 *       "comment": "Fine."
                 *     }
                 */
                "application/json": components["schemas"]["ApproveRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown`, `policy_step_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_step_done`, `task_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Deny": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 4
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policyStepId": "step-4",
                 *       "comment": "Not in this quarter."
                 *     }
                 */
                "application/json": components["schemas"]["DenyRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown`, `policy_step_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_step_done`, `task_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Reassign": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 2
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policyStepId": "step-2",
                 *       "newStepUserIds": [
                 *         "user-ada"
                 *       ],
                 *       "comment": "Alan is on leave."
                 *     }
                 */
                "application/json": components["schemas"]["ReassignRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown`, `policy_step_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_step_done`, `task_closed`, `policy_step_unassigned` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Comment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 2
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "Who needs this?"
                 *     }
                 */
                "application/json": components["schemas"]["CommentRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Restart": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 2
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "The request has changed."
                 *     }
                 */
                "application/json": components["schemas"]["RestartRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown`, `policy_step_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_step_done`, `task_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "svc.api.task.v1.TaskActionsService.Close": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 1
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "comment": "No longer needed."
                 *     }
                 */
                "application/json": components["schemas"]["CloseRequest"];
            };
        };
        responses: {
            /** @description The task after the action. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskServiceActionResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_closed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": {
                 *         "grant": {
                 *           "appId": "app-payroll",
                 *           "appEntitlementId": "entitlement-03",
                 *           "appUserId": "app-user-grace",
                 *           "grantDuration": "86400s"
                 *         }
                 *       },
                 *       "policyId": "policy-grant-three-steps",
                 *       "description": "Needed for the payroll run of December."
                 *     }
                 */
                "application/json": components["schemas"]["CreateTaskRequest"];
            };
        };
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `expand_path_unknown`, `reference_unknown`, `policy_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_rule_failed` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable`, `evaluation_busy`, `evaluator_failed` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 1
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "page_size": 10,
                 *       "taskStates": [
                 *         "TASK_STATE_OPEN"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SearchTasksRequest"];
            };
        };
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchTasksResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `page_token_invalid`, `expand_path_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskActions: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The ID of the task, or its numeric ID.
                 * @example 1
                 */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTaskActionsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskAudits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "taskId": "1",
                 *       "page_size": 10
                 *     }
                 */
                "application/json": components["schemas"]["ListTaskAuditsRequest"];
            };
        };
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTaskAuditsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `task_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPoliciesResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Grant in one step",
                 *       "policyType": "POLICY_TYPE_GRANT",
                 *       "policySteps": {
                 *         "grant": {
                 *           "steps": [
                 *             {
                 *               "approval": {
                 *                 "userIds": [
                 *                   "user-alan"
                 *                 ]
                 *               }
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreatePolicyRequest"];
            };
        };
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `policy_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `feature_disabled` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example policy-grant-three-steps */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example policy-grant-three-steps */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletePolicyResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_builtin`, `policy_in_use` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example policy-grant-three-steps */
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "The manager approves, then the owner."
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePolicyRequest"];
            };
        };
        responses: {
            /** @description The policy. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `policy_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden`, `feature_disabled` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `policy_builtin` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "grant",
                 *       "page_size": 10
                 *     }
                 */
                "application/json": components["schemas"]["SearchPoliciesRequest"];
            };
        };
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchPoliciesResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAppEntitlements: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @example app-payroll */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAppEntitlementsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `app_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAppEntitlement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example app-payroll */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Payroll auditor"
                 *     }
                 */
                "application/json": components["schemas"]["NewEntitlement"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        appEntitlement: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importDirectory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "apps": [
                 *         {
                 *           "id": "app-travel",
                 *           "displayName": "Travel"
                 *         }
                 *       ],
                 *       "entitlements": [
                 *         {
                 *           "id": "travel-book",
                 *           "appId": "app-travel",
                 *           "displayName": "Books travel"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Directory"];
            };
        };
        responses: {
            /** @description Imported. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Katherine Johnson",
                 *       "email": "katherine@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["NewUser"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Travel"
                 *     }
                 */
                "application/json": components["schemas"]["NewApp"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        app: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAppUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example app-payroll */
                app_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "kjohnson",
                 *       "identityUserId": "user-grace"
                 *     }
                 */
                "application/json": components["schemas"]["NewAppUser"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        appUser: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAccessReview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Payroll, first quarter"
                 *     }
                 */
                "application/json": components["schemas"]["NewRelatedObject"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accessReview: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createInsight: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Used every day"
                 *     }
                 */
                "application/json": components["schemas"]["NewRelatedObject"];
            };
        };
        responses: {
            /** @description The stored object. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        insight: {
                            id: string;
                        };
                    };
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `reference_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `id_taken` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAutomations: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAutomationsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "displayName": "Keep what payroll says",
                 *       "steps": [
                 *         {
                 *           "type": "record",
                 *           "valueCel": "ctx.trigger"
                 *         }
                 *       ],
                 *       "trigger": {
                 *         "enabled": true,
                 *         "incomingWebhook": {
                 *           "hmac": {}
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["NewAutomation"];
            };
        };
        responses: {
            /** @description The automation and its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateAutomationResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `webhook_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example automation-payroll */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The automation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example automation-hr */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteAutomationResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patchAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example automation-hr */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Keeps each webhook as it came.",
                 *       "steps": [
                 *         {
                 *           "type": "record",
                 *           "valueCel": "ctx.trigger"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AutomationPatch"];
            };
        };
        responses: {
            /** @description The automation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `webhook_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchAutomations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "payroll",
                 *       "page_size": 10
                 *     }
                 */
                "application/json": components["schemas"]["SearchAutomationsRequest"];
            };
        };
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchAutomationsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `body_not_json`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishAutomation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example automation-payroll */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The automation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutomationResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateListenerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-00000000000a */
                listener_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret, shown once. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateSecretResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `webhook_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `listener_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    withdrawListenerSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 00000000-0000-4000-8000-00000000000a */
                listener_id: string;
                /** @example secret-payroll */
                secret_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secrets that are still live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WithdrawSecretResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `listener_unknown`, `secret_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `secret_last` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @example automation-payroll */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRunsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description Default 25. Values below 10 count as 10, above 100 as 100. */
                page_size?: number;
                /** @description Empty for the first page, then the `nextPageToken` of the previous response. */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @example automation-payroll */
                automation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRecordsResponse"];
                };
            };
            /** @description `request_invalid`, `text_not_storable`, `page_token_invalid` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `automation_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example run-hr */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `request_invalid`, `text_not_storable` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unauthorized` */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `run_unknown` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unavailable` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
